;; Dot products of a query with rows of 8-bit numbers.
;;
;; The first pages contain the working data of a call; the blocks follow:
;;        0   the query as 16-bit numbers, at most 32,768 i16
;;    65536   at most 65,536 addresses, u32
;;   327680   at most 65,536 scores, f32
;;   589824   blocks
;;
;; A block, whose address is a multiple of 16, begins with eight u32: the second is the number of rows, the third is the
;; number of components per row, a multiple of 16. The rows, i8, and the scale of each row, f32, follow.
(module
  (memory (export "memory") 10 65536)

  ;; Scores the rows of the first $count blocks of the list in order: the scale of a row times the sum of $margin and
  ;; $factor times its dot product. The lanes of the sums are i32; the query is scaled so that none overflows.
  (func (export "scoreRows") (param $count i32) (param $factor f32) (param $margin f32)
    (local $at i32) (local $end i32) (local $row i32) (local $rows_end i32) (local $scale i32) (local $score i32)
    (local $query i32) (local $query_end i32) (local $sum v128) (local $other v128)
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    (local.set $score (i32.const 327680))
    (loop $next_block
      (local.set $row (i32.load offset=65536 (local.get $at)))
      (local.set $query_end (i32.shl (i32.load offset=8 (local.get $row)) (i32.const 1)))
      (local.set $count (i32.load offset=4 (local.get $row)))
      (local.set $row (i32.add (local.get $row) (i32.const 32)))
      (local.set $rows_end (i32.add (local.get $row)
        (i32.shr_u (i32.mul (local.get $count) (local.get $query_end)) (i32.const 1))))
      (local.set $scale (local.get $rows_end))
      (loop $next_row
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $other (v128.const i32x4 0 0 0 0))
        (local.set $query (i32.const 0))
        (loop $next_sixteen
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row)) (v128.load (local.get $query)))))
          (local.set $other (i32x4.add (local.get $other)
            (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row)) (v128.load offset=16 (local.get $query)))))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (local.set $query (i32.add (local.get $query) (i32.const 32)))
          (br_if $next_sixteen (i32.lt_u (local.get $query) (local.get $query_end))))
        (f32.store (local.get $score) (f32.mul (f32.load (local.get $scale)) (f32.add (local.get $margin) (f32.mul
          (local.get $factor)
          (call $total (f32x4.add (f32x4.convert_i32x4_s (local.get $sum)) (f32x4.convert_i32x4_s (local.get $other))))))))
        (local.set $scale (i32.add (local.get $scale) (i32.const 4)))
        (local.set $score (i32.add (local.get $score) (i32.const 4)))
        (br_if $next_row (i32.lt_u (local.get $row) (local.get $rows_end))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $next_block (i32.lt_u (local.get $at) (local.get $end)))))

  ;; The sum of the four lanes.
  (func $total (param $lanes v128) (result f32)
    (local.set $lanes (f32x4.add (local.get $lanes)
      (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $lanes) (local.get $lanes))))
    (f32.add (f32x4.extract_lane 0 (local.get $lanes)) (f32x4.extract_lane 1 (local.get $lanes)))))
