;; Dot products of a query in 16 bits a number with rows in 8 bits a number.
;;
;; The first pages hold the working data of a call, the blocks follow them:
;;        0   the query, at most 32,768 i16
;;    65536   the scores of at most 65,536 rows, f32, and room for three more
;;   327696   the places of those that are kept, u32, and room for three more
;;   589856   ascending features of the query, at most 8,192 u32
;;   622624   their weights, f32
;;   655392   those that a block has, at most 8,192: where their entries start and end (u32), and their weight (f32)
;;   753696   blocks
;;
;; The lanes of the sums are i32: the caller scales the query so that none overflows.
(module
  (memory (export "memory") 12 65536)

  ;; Scores $count rows, side by side from $row on: the dot product times $factor times the row's scale, f32 from
  ;; $scale on. The scores go to $score, f32.
  (func (export "score")
    (param $row i32) (param $count i32) (param $dimension i32) (param $scale i32) (param $factor f32) (param $score i32)
    (local $end i32) (local $query i32) (local $query_end i32)
    (local $low v128) (local $high v128)
    (local.set $end (i32.add (local.get $score) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $query_end (i32.shl (local.get $dimension) (i32.const 1)))
    (block $done
      (loop $next_row
        (br_if $done (i32.ge_u (local.get $score) (local.get $end)))
        (local.set $low (v128.const i32x4 0 0 0 0))
        (local.set $high (v128.const i32x4 0 0 0 0))
        (local.set $query (i32.const 0))
        (block $row_done
          (loop $next_sixteen
            (br_if $row_done (i32.ge_u (local.get $query) (local.get $query_end)))
            (local.set $low (i32x4.add (local.get $low)
              (i32x4.dot_i16x8_s (v128.load (local.get $query)) (v128.load8x8_s (local.get $row)))))
            (local.set $high (i32x4.add (local.get $high)
              (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $query)) (v128.load8x8_s offset=8 (local.get $row)))))
            (local.set $row (i32.add (local.get $row) (i32.const 16)))
            (local.set $query (i32.add (local.get $query) (i32.const 32)))
            (br $next_sixteen)))
        ;; As f32, since the sum of all lanes may not fit an i32.
        (local.set $low (f32x4.add
          (f32x4.convert_i32x4_s (local.get $low)) (f32x4.convert_i32x4_s (local.get $high))))
        (f32.store (local.get $score) (f32.mul
          (f32.mul (local.get $factor) (f32.load (local.get $scale)))
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $low)) (f32x4.extract_lane 1 (local.get $low)))
            (f32.add (f32x4.extract_lane 2 (local.get $low)) (f32x4.extract_lane 3 (local.get $low))))))
        (local.set $scale (i32.add (local.get $scale) (i32.const 4)))
        (local.set $score (i32.add (local.get $score) (i32.const 4)))
        (br $next_row))))

  ;; Adds the products of the query's first $count features and those of a block to the scores of its rows, f32 from
  ;; $scores on. The addresses are those of the block's $known ascending features, of where the entries of each start, and
  ;; of the rows (u16) and weights (f32) of the entries.
  ;;
  ;; All are looked up first, then all entries are read, so that no entry waits for the memory while the next feature is
  ;; looked up: it takes a fifth less time.
  (func (export "addSparse")
    (param $count i32) (param $features i32) (param $known i32) (param $starts i32) (param $rows i32) (param $weights i32)
    (param $scores i32)
    (call $add
      (call $find (local.get $count) (local.get $features) (local.get $known) (local.get $starts))
      (local.get $rows) (local.get $weights) (local.get $scores)))

  ;; Notes those of the query's first $count features that the block has. Returns where they end.
  (func $find (param $count i32) (param $features i32) (param $known i32) (param $starts i32) (result i32)
    (local $at i32) (local $feature i32) (local $low i32) (local $high i32) (local $middle i32) (local $found i32)
    (local.set $count (i32.shl (local.get $count) (i32.const 2)))
    (local.set $found (i32.const 655392))
    (block $done
      (loop $next_feature
        (br_if $done (i32.ge_u (local.get $at) (local.get $count)))
        (local.set $feature (i32.load offset=589856 (local.get $at)))
        (local.set $high (local.get $known))
        (block $halved
          (loop $halve
            (br_if $halved (i32.ge_u (local.get $low) (local.get $high)))
            (local.set $middle (i32.shr_u (i32.add (local.get $low) (local.get $high)) (i32.const 1)))
            (if (i32.lt_u
              (i32.load (i32.add (local.get $features) (i32.shl (local.get $middle) (i32.const 2)))) (local.get $feature))
              (then (local.set $low (i32.add (local.get $middle) (i32.const 1))))
              (else (local.set $high (local.get $middle))))
            (br $halve)))
        (br_if $done (i32.eq (local.get $low) (local.get $known)))
        (if (i32.eq
          (i32.load (i32.add (local.get $features) (i32.shl (local.get $low) (i32.const 2)))) (local.get $feature))
          (then
            (i64.store (local.get $found)
              (i64.load (i32.add (local.get $starts) (i32.shl (local.get $low) (i32.const 2)))))
            (f32.store offset=8 (local.get $found) (f32.load offset=622624 (local.get $at)))
            (local.set $found (i32.add (local.get $found) (i32.const 12)))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next_feature)))
    (local.get $found))

  ;; Adds the entries of the features that are noted, up to $found_end, to the scores from $scores on.
  (func $add (param $found_end i32) (param $rows i32) (param $weights i32) (param $scores i32)
    (local $found i32) (local $row i32) (local $end i32) (local $weight i32) (local $score i32) (local $query f32)
    (local.set $found (i32.const 655392))
    (block $done
      (loop $next_feature
        (br_if $done (i32.ge_u (local.get $found) (local.get $found_end)))
        (local.set $row (i32.add (local.get $rows) (i32.shl (i32.load (local.get $found)) (i32.const 1))))
        (local.set $end (i32.add (local.get $rows) (i32.shl (i32.load offset=4 (local.get $found)) (i32.const 1))))
        (local.set $weight (i32.add (local.get $weights) (i32.shl (i32.load (local.get $found)) (i32.const 2))))
        (local.set $query (f32.load offset=8 (local.get $found)))
        (block $added
          (loop $next_entry
            (br_if $added (i32.ge_u (local.get $row) (local.get $end)))
            (local.set $score (i32.add (local.get $scores) (i32.shl (i32.load16_u (local.get $row)) (i32.const 2))))
            (f32.store (local.get $score) (f32.add
              (f32.load (local.get $score)) (f32.mul (local.get $query) (f32.load (local.get $weight)))))
            (local.set $row (i32.add (local.get $row) (i32.const 2)))
            (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
            (br $next_entry)))
        (local.set $found (i32.add (local.get $found) (i32.const 12)))
        (br $next_feature))))

  ;; Keeps those of the first $count scores that are above $least, side by side in their order, and beside them their
  ;; places. Returns their number.
  (func (export "keep") (param $count i32) (param $least f32) (result i32)
    (local $place i32) (local $four i32) (local $kept i32) (local $least4 v128)
    (local.set $least4 (f32x4.splat (local.get $least)))
    ;; The last four may go beyond the scores.
    (v128.store offset=65536 (i32.shl (local.get $count) (i32.const 2)) (v128.const f32x4 -inf -inf -inf -inf))
    (block $done
      (loop $next_four
        (br_if $done (i32.ge_u (local.get $place) (local.get $count)))
        (local.set $four (i32x4.bitmask
          (f32x4.gt (v128.load offset=65536 (i32.shl (local.get $place) (i32.const 2))) (local.get $least4))))
        (if (local.get $four)
          (then
            (local.set $kept (call $keepIf (local.get $kept) (local.get $place) (local.get $four)))
            (local.set $kept (call $keepIf (local.get $kept)
              (i32.add (local.get $place) (i32.const 1)) (i32.shr_u (local.get $four) (i32.const 1))))
            (local.set $kept (call $keepIf (local.get $kept)
              (i32.add (local.get $place) (i32.const 2)) (i32.shr_u (local.get $four) (i32.const 2))))
            (local.set $kept (call $keepIf (local.get $kept)
              (i32.add (local.get $place) (i32.const 3)) (i32.shr_u (local.get $four) (i32.const 3))))))
        (local.set $place (i32.add (local.get $place) (i32.const 4)))
        (br $next_four)))
    (i32.shr_u (local.get $kept) (i32.const 2)))

  ;; Writes a score and its place behind the kept ones, which end at $kept, and keeps it if the lowest bit is 1: no
  ;; branch, which the processor would have to guess. Returns where they end then. A kept one never goes beyond its place.
  (func $keepIf (param $kept i32) (param $place i32) (param $bit i32) (result i32)
    (f32.store offset=65536 (local.get $kept) (f32.load offset=65536 (i32.shl (local.get $place) (i32.const 2))))
    (i32.store offset=327696 (local.get $kept) (local.get $place))
    (i32.add (local.get $kept) (i32.shl (i32.and (local.get $bit) (i32.const 1)) (i32.const 2)))))
