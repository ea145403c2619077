;; Dot products of a query in 16 bits a number with rows in 8 bits a number, after those of the query in 7 bits where
;; these tell enough.
;;
;; The first pages hold the working data of a call, the blocks follow them:
;;        0   the query, at most 32,768 i16
;;    65536   the scores of at most 65,536 rows, f32, and room for three more
;;   327696   the addresses of the blocks that are searched, u32; then the places of the rows that are kept, u32, and room
;;            for three more
;;   589856   ascending features of the query, at most 8,192 u32
;;   622624   their weights, f32
;;   655392   those that a block has, at most 8,192: where their entries start and end (u32), and their weight (f32)
;;   753696   the query in 7 bits a number, from 0 to 127; behind it zeros up to a multiple of 32
;;   786464   blocks
;;
;; A block, whose address is a multiple of 16, has
;;        0   how many rows it has, their dimension, how many features it has, and by how many bits these are shifted to
;;            the right to tell their bucket, u32
;;       16   the length of the longest row, f32
;;       20   the offsets of what comes behind the rows: of fours, features, buckets and entries, u32
;;       48   rows, i8
;;   fours    of the four rows at the same place of each quarter of the rows their scales, then the sums of their numbers,
;;            f32; the last ones likewise, which come after the fourth quarter
;;   features ascending, u32; then of each the number of its first entry, and where the last one's end, u32
;;   buckets  the place of the first feature of each, and how many features there are, u32
;;   entries  a row, u16, and its weight, f32
;; What is read of a block may go 64 bytes beyond it.
;;
;; The lanes of the sums are i32: the caller scales the query so that none overflows.
(module
  ;; One thread uses it. V8 counts memory that is not shared as new whenever it grows, and collects garbage for it.
  (memory (export "memory") 13 65536 shared)

  ;; Adds the products of the dense vectors of the first $blocks blocks to the scores of their rows. Where a score cannot
  ;; exceed $least with it, it may become -Infinity instead; $error is how far the estimate of a row of length 1 may be off.
  (func (export "addDense")
    (param $blocks i32) (param $factor f32) (param $step f32) (param $lowest f32) (param $least f32) (param $error f32)
    (local $at i32) (local $block i32) (local $score i32)
    (local.set $blocks (i32.shl (local.get $blocks) (i32.const 2)))
    (local.set $score (i32.const 65536))
    (block $done
      (loop $next_block
        (br_if $done (i32.ge_u (local.get $at) (local.get $blocks)))
        (local.set $block (i32.load offset=327696 (local.get $at)))
        (call $score (local.get $block) (local.get $score)
          (local.get $factor) (local.get $step) (local.get $lowest)
          (f32.sub (local.get $least) (f32.mul (f32.load offset=16 (local.get $block)) (local.get $error))))
        (local.set $score (i32.add (local.get $score) (i32.shl (i32.load (local.get $block)) (i32.const 2))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next_block))))

  ;; Adds the products of the rows of a block to their scores, f32 from $score on. A product is the dot product times
  ;; $factor times the row's scale.
  ;;
  ;; Before it, each is estimated: the query in 7 bits stands for $lowest + $step times its number, so the estimate is
  ;; $lowest times the sum of the row's numbers, and $step times the dot product with it times the row's scale. A score
  ;; that is not above $least with it becomes -Infinity.
  ;;
  ;; Four rows share what is loaded of the query. They are a quarter of all rows apart, so that pages of memory are
  ;; waited for at once: it takes a tenth less time than rows side by side. 32 numbers of each are taken at a time; what
  ;; follows a row of a dimension in between is multiplied by zeros.
  (func $score
    (param $block i32) (param $score i32)
    (param $factor f32) (param $step f32) (param $lowest f32) (param $least f32)
    (local $row i32) (local $count i32) (local $dimension i32) (local $four i32) (local $quarter i32) (local $apart i32) (local $second i32) (local $third i32) (local $fourth i32)
    (local $end i32) (local $at i32) (local $above i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $query v128) (local $scores v128)
    (local.set $row (i32.add (local.get $block) (i32.const 48)))
    (local.set $count (i32.load (local.get $block)))
    (local.set $dimension (i32.load offset=4 (local.get $block)))
    (local.set $four (i32.add (local.get $block) (i32.load offset=20 (local.get $block))))
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
            (f32x4.mul (f32x4.splat (local.get $lowest)) (v128.load offset=16 (local.get $four)))
            (f32x4.mul
              (f32x4.mul (f32x4.splat (local.get $step)) (v128.load (local.get $four)))
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
              (i32.add (local.get $four) (i32.shl (local.get $at) (i32.const 2)))
              (i32.add (local.get $score) (i32.mul (local.get $at) (local.get $quarter)))
              (local.get $factor))
            (br $next_above)))
        (local.set $row (i32.add (local.get $row) (local.get $dimension)))
        (local.set $second (i32.add (local.get $second) (local.get $dimension)))
        (local.set $third (i32.add (local.get $third) (local.get $dimension)))
        (local.set $fourth (i32.add (local.get $fourth) (local.get $dimension)))
        (local.set $four (i32.add (local.get $four) (i32.const 32)))
        (local.set $score (i32.add (local.get $score) (i32.const 4)))
        (br $next_four)))
    ;; The last ones, less than four, come after the fourth quarter.
    (call $addProducts (local.get $fourth) (i32.and (local.get $count) (i32.const 3)) (local.get $dimension)
      (local.get $four) (i32.add (local.get $score) (i32.mul (local.get $quarter) (i32.const 3))) (local.get $factor)))

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

  ;; Writes the scales of the rows from $place up to $end, f32 from 65536 on, and the sums of their numbers times their
  ;; scale. Notes the length of the longest.
  (func (export "measure") (param $block i32) (param $place i32) (param $end i32)
    (local $row i32) (local $row_end i32) (local $dimension i32) (local $fours i32) (local $quarter i32) (local $rest i32)
    (local $four i32) (local $scale_at i32) (local $scale f32) (local $eight v128) (local $sums v128) (local $squares v128)
    (local.set $dimension (i32.load offset=4 (local.get $block)))
    (local.set $fours (i32.add (local.get $block) (i32.load offset=20 (local.get $block))))
    (local.set $quarter (i32.shr_u (i32.load (local.get $block)) (i32.const 2)))
    (local.set $row (i32.add (i32.add (local.get $block) (i32.const 48))
      (i32.mul (local.get $place) (local.get $dimension))))
    (block $done
      (loop $next_row
        (br_if $done (i32.ge_u (local.get $place) (local.get $end)))
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
        ;; Of the last ones, which come after the fourth quarter, the first stands where one of a fifth would.
        (local.set $rest (i32.sub (local.get $place) (i32.shl (local.get $quarter) (i32.const 2))))
        (local.set $four (i32.add (local.get $fours)
          (if (result i32) (i32.ge_s (local.get $rest) (i32.const 0))
            (then (i32.add
              (i32.shl (local.get $quarter) (i32.const 5)) (i32.shl (local.get $rest) (i32.const 2))))
            (else (i32.add
              (i32.shl (i32.rem_u (local.get $place) (local.get $quarter)) (i32.const 5))
              (i32.shl (i32.div_u (local.get $place) (local.get $quarter)) (i32.const 2)))))))
        (local.set $scale (f32.load offset=65536 (local.get $scale_at)))
        (f32.store (local.get $four) (local.get $scale))
        (f32.store offset=16 (local.get $four)
          (f32.mul (local.get $scale) (call $total (f32x4.convert_i32x4_s (local.get $sums)))))
        (f32.store offset=16 (local.get $block) (f32.max (f32.load offset=16 (local.get $block))
          (f32.mul (local.get $scale) (f32.sqrt (call $total (f32x4.convert_i32x4_s (local.get $squares)))))))
        (local.set $place (i32.add (local.get $place) (i32.const 1)))
        (local.set $scale_at (i32.add (local.get $scale_at) (i32.const 4)))
        (br $next_row))))

  (func $total (param $four v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $four)) (f32x4.extract_lane 1 (local.get $four)))
      (f32.add (f32x4.extract_lane 2 (local.get $four)) (f32x4.extract_lane 3 (local.get $four)))))

  ;; Sets the first $count scores to 0.
  (func (export "clear") (param $count i32)
    (memory.fill (i32.const 65536) (i32.const 0) (i32.shl (local.get $count) (i32.const 2))))

  ;; Adds the products of the query's first $count features to the scores of the rows of the first $blocks blocks.
  ;;
  ;; What it reads lies apart, and the memory is what it waits for. So what four blocks need at one stage is touched, which
  ;; waits for all of it at once, before any of it is used: a whole search takes a fifth less time. Returns something of
  ;; all that was touched, so that it is read.
  (func (export "addSparse") (param $blocks i32) (param $count i32) (result i32)
    (local $at i32) (local $group_end i32) (local $block i32) (local $score i32) (local $found_end i32)
    (local $touched i32)
    (local.set $blocks (i32.shl (local.get $blocks) (i32.const 2)))
    (local.set $count (i32.shl (local.get $count) (i32.const 2)))
    (local.set $score (i32.const 65536))
    (block $done
      (loop $next_group
        (br_if $done (i32.ge_u (local.get $at) (local.get $blocks)))
        (local.set $group_end (i32.add (local.get $at) (i32.const 16)))
        (if (i32.gt_u (local.get $group_end) (local.get $blocks)) (then (local.set $group_end (local.get $blocks))))
        (local.set $touched (i32.or (local.get $touched) (i32.or
          (call $touchBuckets (local.get $at) (local.get $group_end) (local.get $count))
          (call $touchFeatures (local.get $at) (local.get $group_end) (local.get $count)))))
        (loop $next_block
          (local.set $block (i32.load offset=327696 (local.get $at)))
          (local.set $found_end (call $find (local.get $block) (local.get $count)))
          (local.set $touched (i32.or (local.get $touched) (call $touchEntries (local.get $found_end))))
          (call $addEntries (local.get $found_end) (local.get $score))
          (local.set $score (i32.add (local.get $score) (i32.shl (i32.load (local.get $block)) (i32.const 2))))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (br_if $next_block (i32.lt_u (local.get $at) (local.get $group_end))))
        (br $next_group)))
    (local.get $touched))

  ;; Reads the headers of the blocks from $at up to $blocks_end, and where their buckets tell of the features of the query,
  ;; which end at $end. There are some of each.
  (func $touchBuckets (param $at i32) (param $blocks_end i32) (param $end i32) (result i32)
    (local $block i32) (local $feature i32) (local $buckets i32) (local $shift i32) (local $first i32) (local $touched i32)
    (local.set $first (local.get $at))
    (loop $next_header
      (local.set $touched (i32.or (local.get $touched) (i32.load (i32.load offset=327696 (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $next_header (i32.lt_u (local.get $at) (local.get $blocks_end))))
    (local.set $at (local.get $first))
    (loop $next_block
      (local.set $block (i32.load offset=327696 (local.get $at)))
      (local.set $buckets (i32.add (local.get $block) (i32.load offset=28 (local.get $block))))
      (local.set $shift (i32.load offset=12 (local.get $block)))
      (local.set $feature (i32.const 0))
      (loop $next_feature
        (local.set $touched (i32.or (local.get $touched) (i32.load (i32.add (local.get $buckets) (i32.shl
          (i32.shr_u (i32.load offset=589856 (local.get $feature)) (local.get $shift)) (i32.const 2))))))
        (local.set $feature (i32.add (local.get $feature) (i32.const 4)))
        (br_if $next_feature (i32.lt_u (local.get $feature) (local.get $end))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $next_block (i32.lt_u (local.get $at) (local.get $blocks_end))))
    (local.get $touched))

  ;; Reads where the features and their starts are, if a block has them.
  (func $touchFeatures (param $at i32) (param $blocks_end i32) (param $end i32) (result i32)
    (local $block i32) (local $feature i32) (local $features i32) (local $starts i32) (local $buckets i32) (local $shift i32)
    (local $place i32) (local $touched i32)
    (loop $next_block
      (local.set $block (i32.load offset=327696 (local.get $at)))
      (local.set $features (i32.add (local.get $block) (i32.load offset=24 (local.get $block))))
      (local.set $starts (i32.add (local.get $features) (i32.shl (i32.load offset=8 (local.get $block)) (i32.const 2))))
      (local.set $buckets (i32.add (local.get $block) (i32.load offset=28 (local.get $block))))
      (local.set $shift (i32.load offset=12 (local.get $block)))
      (local.set $feature (i32.const 0))
      (loop $next_feature
        (local.set $place (i32.shl (i32.load (i32.add (local.get $buckets) (i32.shl
          (i32.shr_u (i32.load offset=589856 (local.get $feature)) (local.get $shift)) (i32.const 2)))) (i32.const 2)))
        (local.set $touched (i32.or (local.get $touched) (i32.or
          (i32.or
            (i32.load (i32.add (local.get $features) (local.get $place)))
            (i32.load offset=60 (i32.add (local.get $features) (local.get $place))))
          (i32.or
            (i32.load (i32.add (local.get $starts) (local.get $place)))
            (i32.load offset=32 (i32.add (local.get $starts) (local.get $place)))))))
        (local.set $feature (i32.add (local.get $feature) (i32.const 4)))
        (br_if $next_feature (i32.lt_u (local.get $feature) (local.get $end))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $next_block (i32.lt_u (local.get $at) (local.get $blocks_end))))
    (local.get $touched))

  ;; Notes those of the query's features, which end at $end, that the block has. Returns where they end. No branch depends
  ;; on whether it has one, which the processor could not guess.
  (func $find (param $block i32) (param $end i32) (result i32)
    (local $at i32) (local $count i32) (local $features i32) (local $starts i32) (local $buckets i32) (local $entries i32)
    (local $shift i32) (local $wanted i32) (local $wanted4 v128) (local $bucket i32) (local $place i32)
    (local $bucket_end i32) (local $sixteen i32) (local $equal i32) (local $found i32)
    (local.set $count (i32.load offset=8 (local.get $block)))
    (local.set $shift (i32.load offset=12 (local.get $block)))
    (local.set $features (i32.add (local.get $block) (i32.load offset=24 (local.get $block))))
    (local.set $starts (i32.add (local.get $features) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $buckets (i32.add (local.get $block) (i32.load offset=28 (local.get $block))))
    (local.set $entries (i32.add (local.get $block) (i32.load offset=32 (local.get $block))))
    (local.set $found (i32.const 655392))
    (block $done
      (loop $next_feature
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $wanted (i32.load offset=589856 (local.get $at)))
        (local.set $wanted4 (i32x4.splat (local.get $wanted)))
        (local.set $bucket (i32.add (local.get $buckets)
          (i32.shl (i32.shr_u (local.get $wanted) (local.get $shift)) (i32.const 2))))
        (local.set $place (i32.load (local.get $bucket)))
        (local.set $bucket_end (i32.load offset=4 (local.get $bucket)))
        (block $looked_up
          (loop $next_sixteen
            (local.set $sixteen (i32.add (local.get $features) (i32.shl (local.get $place) (i32.const 2))))
            ;; A bit for each of them, lowest first: whether it is the wanted one.
            (local.set $equal (i8x16.bitmask (i8x16.narrow_i16x8_s
              (i16x8.narrow_i32x4_s
                (i32x4.eq (v128.load (local.get $sixteen)) (local.get $wanted4))
                (i32x4.eq (v128.load offset=16 (local.get $sixteen)) (local.get $wanted4)))
              (i16x8.narrow_i32x4_s
                (i32x4.eq (v128.load offset=32 (local.get $sixteen)) (local.get $wanted4))
                (i32x4.eq (v128.load offset=48 (local.get $sixteen)) (local.get $wanted4))))))
            ;; A bucket has hardly ever more.
            (br_if $looked_up (i32.le_u (i32.sub (local.get $bucket_end) (local.get $place)) (i32.const 16)))
            (br_if $looked_up (local.get $equal))
            (local.set $place (i32.add (local.get $place) (i32.const 16)))
            (br $next_sixteen)))
        (local.set $place (i32.add (local.get $place) (i32.and (i32.ctz (local.get $equal)) (i32.const 15))))
        (local.set $bucket (i32.add (local.get $starts) (i32.shl (local.get $place) (i32.const 2))))
        (i32.store (local.get $found) (i32.add (local.get $entries)
          (i32.mul (i32.load (local.get $bucket)) (i32.const 6))))
        (i32.store offset=4 (local.get $found) (i32.add (local.get $entries)
          (i32.mul (i32.load offset=4 (local.get $bucket)) (i32.const 6))))
        (f32.store offset=8 (local.get $found) (f32.load offset=622624 (local.get $at)))
        ;; What equals it behind the last feature is none.
        (local.set $found (i32.add (local.get $found) (i32.mul (i32.const 12)
          (i32.and (i32.ne (local.get $equal) (i32.const 0)) (i32.lt_u (local.get $place) (local.get $count))))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next_feature)))
    (local.get $found))

  ;; Reads something of each line of 64 bytes of the entries of the features that are noted, up to $found_end.
  (func $touchEntries (param $found_end i32) (result i32)
    (local $found i32) (local $entry i32) (local $end i32) (local $touched i32)
    (local.set $found (i32.const 655392))
    (block $done
      (loop $next_feature
        (br_if $done (i32.ge_u (local.get $found) (local.get $found_end)))
        (local.set $entry (i32.load (local.get $found)))
        (local.set $end (i32.load offset=4 (local.get $found)))
        (loop $next_line
          (local.set $touched (i32.or (local.get $touched) (i32.load (local.get $entry))))
          (local.set $entry (i32.add (local.get $entry) (i32.const 64)))
          (br_if $next_line (i32.lt_u (local.get $entry) (local.get $end))))
        (local.set $found (i32.add (local.get $found) (i32.const 12)))
        (br $next_feature)))
    (local.get $touched))

  ;; Adds the entries of the features that are noted, up to $found_end, to the scores from $scores on.
  (func $addEntries (param $found_end i32) (param $scores i32)
    (local $found i32) (local $entry i32) (local $end i32) (local $score i32) (local $query f32)
    (local.set $found (i32.const 655392))
    (block $done
      (loop $next_feature
        (br_if $done (i32.ge_u (local.get $found) (local.get $found_end)))
        (local.set $entry (i32.load (local.get $found)))
        (local.set $end (i32.load offset=4 (local.get $found)))
        (local.set $query (f32.load offset=8 (local.get $found)))
        (block $added
          (loop $next_entry
            (br_if $added (i32.ge_u (local.get $entry) (local.get $end)))
            (local.set $score (i32.add (local.get $scores) (i32.shl (i32.load16_u (local.get $entry)) (i32.const 2))))
            (f32.store (local.get $score) (f32.add (f32.load (local.get $score))
              (f32.mul (local.get $query) (f32.load offset=2 align=2 (local.get $entry)))))
            (local.set $entry (i32.add (local.get $entry) (i32.const 6)))
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
