;; Dot products of a query in 16 bits a number with rows in 8 bits a number, after those of the query in 7 bits where
;; these tell enough.
;;
;; The first pages hold the working data of a call, the blocks follow them:
;;        0   the query, at most 32,768 i16
;;    65536   the scores of at most 65,536 rows, f32, and room for three more
;;   327696   the places of those that are kept, u32, and room for three more
;;   589856   ascending features of the query, at most 8,192 u32
;;   622624   their weights, f32
;;   655392   those that a block has, at most 8,192: where their entries start and end (u32), and their weight (f32)
;;   753696   the query in 7 bits a number, from 0 to 127; behind it zeros up to a multiple of 32
;;   786464   blocks
;;
;; The lanes of the sums are i32: the caller scales the query so that none overflows.
(module
  (memory (export "memory") 13 65536)

  ;; Adds the products of $count rows, side by side from $row on, to their scores, f32 from $score on. Where the score
  ;; cannot exceed $least with it, it becomes -Infinity instead. The product is the dot product times $factor times the
  ;; row's scale, f32 from $scale on.
  ;;
  ;; Before it, each is estimated: the query in 7 bits stands for $lowest + $step times its number, so the estimate is
  ;; $lowest times the sum of the row's numbers, f32 from $sum on, and $step times the dot product with it times the row's
  ;; scale. Who calls lowers $least by what an estimate may be too low.
  ;;
  ;; Four rows share what is loaded of the query. They are a quarter of all rows apart, so that pages of memory are
  ;; waited for at once: it takes a tenth less time than rows side by side. 32 numbers of each are taken at a time; what
  ;; follows a row of a dimension in between is multiplied by zeros.
  (func (export "score")
    (param $row i32) (param $count i32) (param $dimension i32) (param $scale i32) (param $sum i32) (param $score i32)
    (param $factor f32) (param $step f32) (param $lowest f32) (param $least f32)
    (local $quarter i32) (local $apart i32) (local $second i32) (local $third i32) (local $fourth i32)
    (local $end i32) (local $at i32) (local $above i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $query v128) (local $scores v128)
    (local.set $quarter (i32.shr_u (local.get $count) (i32.const 2)))
    (local.set $apart (i32.mul (local.get $quarter) (local.get $dimension)))
    (local.set $second (i32.add (local.get $row) (local.get $apart)))
    (local.set $third (i32.add (local.get $second) (local.get $apart)))
    (local.set $fourth (i32.add (local.get $third) (local.get $apart)))
    ;; From here on in bytes of an f32 of each.
    (local.set $quarter (i32.shl (local.get $quarter) (i32.const 2)))
    (local.set $end (i32.add (local.get $score) (local.get $quarter)))
    (block $done
      (loop $next_four
        (br_if $done (i32.ge_u (local.get $score) (local.get $end)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.const 0))
        (block $rows_done
          (loop $next_numbers
            (br_if $rows_done (i32.ge_u (local.get $at) (local.get $dimension)))
            (local.set $query (v128.load offset=753696 (local.get $at)))
            (local.set $a (i32x4.relaxed_dot_i8x16_i7x16_add_s
              (v128.load (i32.add (local.get $row) (local.get $at))) (local.get $query) (local.get $a)))
            (local.set $b (i32x4.relaxed_dot_i8x16_i7x16_add_s
              (v128.load (i32.add (local.get $second) (local.get $at))) (local.get $query) (local.get $b)))
            (local.set $c (i32x4.relaxed_dot_i8x16_i7x16_add_s
              (v128.load (i32.add (local.get $third) (local.get $at))) (local.get $query) (local.get $c)))
            (local.set $d (i32x4.relaxed_dot_i8x16_i7x16_add_s
              (v128.load (i32.add (local.get $fourth) (local.get $at))) (local.get $query) (local.get $d)))
            (local.set $query (v128.load offset=753712 (local.get $at)))
            (local.set $a (i32x4.relaxed_dot_i8x16_i7x16_add_s
              (v128.load offset=16 (i32.add (local.get $row) (local.get $at))) (local.get $query) (local.get $a)))
            (local.set $b (i32x4.relaxed_dot_i8x16_i7x16_add_s
              (v128.load offset=16 (i32.add (local.get $second) (local.get $at))) (local.get $query) (local.get $b)))
            (local.set $c (i32x4.relaxed_dot_i8x16_i7x16_add_s
              (v128.load offset=16 (i32.add (local.get $third) (local.get $at))) (local.get $query) (local.get $c)))
            (local.set $d (i32x4.relaxed_dot_i8x16_i7x16_add_s
              (v128.load offset=16 (i32.add (local.get $fourth) (local.get $at))) (local.get $query) (local.get $d)))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (br $next_numbers)))
        ;; The sum of each row in its lane.
        (local.set $a (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
        (local.set $c (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
        (local.set $a (i32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $a) (local.get $c))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $a) (local.get $c))))
        (local.set $scores (call $gather (local.get $score) (local.get $quarter)))
        ;; Not "greater": an estimate whose parts are infinite is no number, and rules nothing out.
        (local.set $a (v128.not (f32x4.le
          (f32x4.add (local.get $scores) (f32x4.add
            (f32x4.mul (f32x4.splat (local.get $lowest)) (call $gather (local.get $sum) (local.get $quarter)))
            (f32x4.mul
              (f32x4.mul (f32x4.splat (local.get $step)) (call $gather (local.get $scale) (local.get $quarter)))
              (f32x4.convert_i32x4_s (local.get $a)))))
          (f32x4.splat (local.get $least)))))
        (call $scatter (local.get $score) (local.get $quarter)
          (v128.bitselect (local.get $scores) (v128.const f32x4 -inf -inf -inf -inf) (local.get $a)))
        (local.set $above (i32x4.bitmask (local.get $a)))
        (block $four_done
          (loop $next_above
            (br_if $four_done (i32.eqz (local.get $above)))
            (local.set $at (i32.ctz (local.get $above)))
            (local.set $above (i32.and (local.get $above) (i32.sub (local.get $above) (i32.const 1))))
            (call $addProducts
              (i32.add (local.get $row) (i32.mul (local.get $at) (local.get $apart))) (i32.const 1)
              (local.get $dimension)
              (i32.add (local.get $scale) (i32.mul (local.get $at) (local.get $quarter)))
              (i32.add (local.get $score) (i32.mul (local.get $at) (local.get $quarter)))
              (local.get $factor))
            (br $next_above)))
        (local.set $row (i32.add (local.get $row) (local.get $dimension)))
        (local.set $second (i32.add (local.get $second) (local.get $dimension)))
        (local.set $third (i32.add (local.get $third) (local.get $dimension)))
        (local.set $fourth (i32.add (local.get $fourth) (local.get $dimension)))
        (local.set $scale (i32.add (local.get $scale) (i32.const 4)))
        (local.set $sum (i32.add (local.get $sum) (i32.const 4)))
        (local.set $score (i32.add (local.get $score) (i32.const 4)))
        (br $next_four)))
    ;; The last ones, less than four, come after the fourth quarter.
    (local.set $at (i32.mul (local.get $quarter) (i32.const 3)))
    (call $addProducts (local.get $fourth) (i32.and (local.get $count) (i32.const 3)) (local.get $dimension)
      (i32.add (local.get $scale) (local.get $at)) (i32.add (local.get $score) (local.get $at)) (local.get $factor)))

  ;; Adds the products of $count rows, side by side from $row on, to their scores.
  (func $addProducts
    (param $row i32) (param $count i32) (param $dimension i32) (param $scale i32) (param $score i32) (param $factor f32)
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
        (f32.store (local.get $score) (f32.add (f32.load (local.get $score)) (f32.mul
          (f32.mul (local.get $factor) (f32.load (local.get $scale)))
          (call $total (f32x4.add
            (f32x4.convert_i32x4_s (local.get $low)) (f32x4.convert_i32x4_s (local.get $high)))))))
        (local.set $scale (i32.add (local.get $scale) (i32.const 4)))
        (local.set $score (i32.add (local.get $score) (i32.const 4)))
        (br $next_row))))

  ;; Four f32, each $apart bytes from the one before it.
  (func $gather (param $at i32) (param $apart i32) (result v128)
    (v128.load32_lane 3 (i32.add (local.get $at) (i32.mul (local.get $apart) (i32.const 3)))
      (v128.load32_lane 2 (i32.add (local.get $at) (i32.shl (local.get $apart) (i32.const 1)))
        (v128.load32_lane 1 (i32.add (local.get $at) (local.get $apart))
          (v128.load32_zero (local.get $at))))))

  ;; The opposite.
  (func $scatter (param $at i32) (param $apart i32) (param $four v128)
    (v128.store32_lane 0 (local.get $at) (local.get $four))
    (v128.store32_lane 1 (i32.add (local.get $at) (local.get $apart)) (local.get $four))
    (v128.store32_lane 2 (i32.add (local.get $at) (i32.shl (local.get $apart) (i32.const 1))) (local.get $four))
    (v128.store32_lane 3 (i32.add (local.get $at) (i32.mul (local.get $apart) (i32.const 3))) (local.get $four)))

  ;; Writes the sums of the numbers of $count rows, side by side from $row on, to $sum, f32: of each the sum times its
  ;; scale, f32 from $scale on. Returns the length of the longest.
  (func (export "measure")
    (param $row i32) (param $count i32) (param $dimension i32) (param $scale i32) (param $sum i32) (result f32)
    (local $end i32) (local $row_end i32) (local $longest f32) (local $eight v128) (local $sums v128) (local $squares v128)
    (local.set $end (i32.add (local.get $sum) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next_row
        (br_if $done (i32.ge_u (local.get $sum) (local.get $end)))
        (local.set $sums (v128.const i32x4 0 0 0 0))
        (local.set $squares (v128.const i32x4 0 0 0 0))
        (local.set $row_end (i32.add (local.get $row) (local.get $dimension)))
        (block $row_done
          (loop $next_eight
            (br_if $row_done (i32.ge_u (local.get $row) (local.get $row_end)))
            (local.set $eight (v128.load8x8_s (local.get $row)))
            (local.set $sums (i32x4.add (local.get $sums) (i32x4.extadd_pairwise_i16x8_s (local.get $eight))))
            (local.set $squares (i32x4.add (local.get $squares)
              (i32x4.dot_i16x8_s (local.get $eight) (local.get $eight))))
            (local.set $row (i32.add (local.get $row) (i32.const 8)))
            (br $next_eight)))
        (f32.store (local.get $sum) (f32.mul (f32.load (local.get $scale))
          (call $total (f32x4.convert_i32x4_s (local.get $sums)))))
        (local.set $longest (f32.max (local.get $longest) (f32.mul (f32.load (local.get $scale))
          (f32.sqrt (call $total (f32x4.convert_i32x4_s (local.get $squares)))))))
        (local.set $scale (i32.add (local.get $scale) (i32.const 4)))
        (local.set $sum (i32.add (local.get $sum) (i32.const 4)))
        (br $next_row)))
    (local.get $longest))

  (func $total (param $four v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $four)) (f32x4.extract_lane 1 (local.get $four)))
      (f32.add (f32x4.extract_lane 2 (local.get $four)) (f32x4.extract_lane 3 (local.get $four)))))

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

  ;; Notes those of the query's first $count features that the block has. Returns where they end. It goes through the
  ;; block's features, both being in ascending order, 64 bytes at a time: halving reads fewer of them, but each where the
  ;; processor does not expect it.
  (func $find (param $count i32) (param $features i32) (param $known i32) (param $starts i32) (result i32)
    (local $at i32) (local $feature i32) (local $end i32) (local $last_line i32) (local $found i32) (local $starts_apart i32)
    (local.set $count (i32.shl (local.get $count) (i32.const 2)))
    (local.set $end (i32.add (local.get $features) (i32.shl (local.get $known) (i32.const 2))))
    (local.set $last_line (i32.sub (local.get $end) (i32.const 64)))
    (local.set $starts_apart (i32.sub (local.get $starts) (local.get $features)))
    (local.set $found (i32.const 655392))
    (block $done
      (loop $next_feature
        (br_if $done (i32.ge_u (local.get $at) (local.get $count)))
        (local.set $feature (i32.load offset=589856 (local.get $at)))
        (block $line_found
          (loop $next_line
            (br_if $line_found (i32.gt_u (local.get $features) (local.get $last_line)))
            (br_if $line_found (i32.ge_u (i32.load offset=60 (local.get $features)) (local.get $feature)))
            (local.set $features (i32.add (local.get $features) (i32.const 64)))
            (br $next_line)))
        (block $not_below
          (loop $next_known
            (br_if $done (i32.ge_u (local.get $features) (local.get $end)))
            (br_if $not_below (i32.ge_u (i32.load (local.get $features)) (local.get $feature)))
            (local.set $features (i32.add (local.get $features) (i32.const 4)))
            (br $next_known)))
        (if (i32.eq (i32.load (local.get $features)) (local.get $feature))
          (then
            (i64.store (local.get $found)
              (i64.load (i32.add (local.get $features) (local.get $starts_apart))))
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
