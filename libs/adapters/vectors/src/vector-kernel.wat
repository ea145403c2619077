;; Cosine similarities of unit vectors: dot products of 768 f32.
;;
;; The first page holds the working data of a call, the vectors follow it:
;;        0   the query, 768 f32
;;     4096   the numbers of at most 7,680 rows, u32
;;    34816   their scores, f32
;;    65536   row 0, row 1, … of 768 f32 each
;;
;; One row at a time, because memory bandwidth is the limit and one sequential stream reads fastest; four independent sums
;; keep the adders busy. Every row is summed in the same order, so that equal vectors have equal scores.
(module
  (memory (export "memory") 1 65536)

  ;; The sum of the four lanes, clamped to 0 to 1 despite rounding.
  (func $clamped_sum (param $lanes v128) (result f32)
    (local $pairs v128)
    (local.set $pairs (f32x4.add (local.get $lanes)
      (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $lanes) (local.get $lanes))))
    (f32.min (f32.const 1) (f32.max (f32.const 0)
      (f32.add (f32x4.extract_lane 0 (local.get $pairs)) (f32x4.extract_lane 1 (local.get $pairs))))))

  ;; Scores the first $count rows of the list.
  (func (export "score") (param $count i32)
    (local $at i32) (local $end i32) (local $query i32) (local $row i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    (block $done
      (loop $next_row
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $row (i32.add (i32.const 65536)
          (i32.mul (i32.load offset=4096 (local.get $at)) (i32.const 3072))))
        (local.set $sum0 (v128.const f32x4 0 0 0 0))
        (local.set $sum1 (v128.const f32x4 0 0 0 0))
        (local.set $sum2 (v128.const f32x4 0 0 0 0))
        (local.set $sum3 (v128.const f32x4 0 0 0 0))
        (local.set $query (i32.const 0))
        (loop $next_sixteen
          (local.set $sum0 (f32x4.add (local.get $sum0)
            (f32x4.mul (v128.load (local.get $query)) (v128.load (local.get $row)))))
          (local.set $sum1 (f32x4.add (local.get $sum1)
            (f32x4.mul (v128.load offset=16 (local.get $query)) (v128.load offset=16 (local.get $row)))))
          (local.set $sum2 (f32x4.add (local.get $sum2)
            (f32x4.mul (v128.load offset=32 (local.get $query)) (v128.load offset=32 (local.get $row)))))
          (local.set $sum3 (f32x4.add (local.get $sum3)
            (f32x4.mul (v128.load offset=48 (local.get $query)) (v128.load offset=48 (local.get $row)))))
          (local.set $row (i32.add (local.get $row) (i32.const 64)))
          (local.set $query (i32.add (local.get $query) (i32.const 64)))
          (br_if $next_sixteen (i32.lt_u (local.get $query) (i32.const 3072))))
        (f32.store offset=34816 (local.get $at) (call $clamped_sum (f32x4.add
          (f32x4.add (local.get $sum0) (local.get $sum1)) (f32x4.add (local.get $sum2) (local.get $sum3)))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next_row)))))
