;; Dot products of a query in 16 bits a number with rows in 8 bits a number.
;;
;; The first five pages hold the working data of a call, the blocks follow them:
;;        0   the query, at most 32,768 i16
;;    65536   the scores of at most 65,536 rows, f32
;;   327680   blocks
;;
;; The lanes of the sums are i32: the caller scales the query so that none overflows.
(module
  (memory (export "memory") 5 65536)

  ;; Scores $count rows, side by side from $row on: the dot product times $factor times the row's scale, f32 from $scale on.
  (func (export "score")
    (param $row i32) (param $count i32) (param $dimension i32) (param $scale i32) (param $factor f32)
    (local $score i32) (local $end i32) (local $query i32) (local $query_end i32)
    (local $numbers v128) (local $low v128) (local $high v128)
    (local.set $score (i32.const 65536))
    (local.set $end (i32.add (i32.const 65536) (i32.shl (local.get $count) (i32.const 2))))
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
            (local.set $numbers (v128.load (local.get $row)))
            (local.set $low (i32x4.add (local.get $low)
              (i32x4.dot_i16x8_s (v128.load (local.get $query)) (i16x8.extend_low_i8x16_s (local.get $numbers)))))
            (local.set $high (i32x4.add (local.get $high)
              (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $query)) (i16x8.extend_high_i8x16_s (local.get $numbers)))))
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
        (br $next_row)))))
