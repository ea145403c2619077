;; Sketches of vectors: how far a vector can be from the query at most, told by a fifth of its bytes.
;;
;;          0   the query: 768 signs, 96 bytes
;;         96   a number that nobody reads, u32
;;        112   sixteen times 15, from where a loop takes it: V8 makes a constant anew wherever it stands
;;       1024   the greatest cosine for each number of different signs in the first half, 385 f32
;;       4096   the greatest cosine for each number of different signs in both halves, 769 f32
;;       8192   the query in levels, 768 i8
;;      12288   a vector to rotate, 768 f32
;;      16384   the signs of the rotation: two rounds of 768 f32, each ±1/16
;;      24576   what each code is worth to the query: for each eight dimensions 16 times some steps, u8, at most 15
;;      28672   for each set of four rows what to add to their bounds, four f32: 0, or -infinity where one is not in it
;;      65536   the numbers of at most 1,048,576 rows, u32
;;    4259840   the bound of each, f32; of a scan those of all rows, by their numbers
;;    8454144   the places in the list that are kept, u32
;;   12648448   how many signs of the first half are different, u16
;;   14745600   the greatest bound of each strip, f32
;;   14876672   the visible rows, a bit each
;;   15007744   sketches, in blocks of 1,024 rows: a head of 64 bytes of each, a tail of 64, 384 bytes of levels, then 32
;;              strips of 1,920 bytes
;;
;; Head and tail are a cache line each: the product with the mean, the length, the worth of a level, its error (f32) and
;; half the signs. The numbers stand in both, so that no step reads more than one of them. The 384 bytes are the levels, 4
;; bits each, dimension i of 32 beside dimension i + 16.
;;
;; A strip has the codes of 32 rows, side by side: 16 bytes for each eight dimensions, the 4 bits of row i of 32 beside those
;; of row i + 16. From 1,536 on follow three numbers of each row, f32: the product with the mean, what the worth of a row's
;; codes is to be multiplied with, and how much more the product may be for each unit of the query's length.
(module
  (memory (export "memory") 229 65536)
  (data (i32.const 112) "\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f")

  (func $block (param $row i32) (result i32)
    (i32.add (i32.const 15007744) (i32.mul (i32.shr_u (local.get $row) (i32.const 10)) (i32.const 585728))))

  (func $head (export "head") (param $row i32) (result i32)
    (i32.add (call $block (local.get $row)) (i32.shl (i32.and (local.get $row) (i32.const 1023)) (i32.const 6))))

  (func $tail (export "tail") (param $row i32) (result i32)
    (i32.add (call $head (local.get $row)) (i32.const 65536)))

  (func $levels (export "levels") (param $row i32) (result i32)
    (i32.add (i32.add (call $block (local.get $row)) (i32.const 131072))
      (i32.mul (i32.and (local.get $row) (i32.const 1023)) (i32.const 384))))

  (func $strip (export "strip") (param $row i32) (result i32)
    (i32.add (i32.add (call $block (local.get $row)) (i32.const 524288))
      (i32.mul (i32.and (i32.shr_u (local.get $row) (i32.const 5)) (i32.const 31)) (i32.const 1920))))

  ;; How many of half the signs, in a head or a tail, differ from the query's, which callers have in locals: reading them
  ;; again for each row takes a tenth longer.
  (func $different (param $half i32)
    (param $query0 i64) (param $query1 i64) (param $query2 i64) (param $query3 i64) (param $query4 i64) (param $query5 i64)
    (result i32)
    (i32.wrap_i64 (i64.add
      (i64.add
        (i64.add
          (i64.popcnt (i64.xor (i64.load offset=16 (local.get $half)) (local.get $query0)))
          (i64.popcnt (i64.xor (i64.load offset=24 (local.get $half)) (local.get $query1))))
        (i64.popcnt (i64.xor (i64.load offset=32 (local.get $half)) (local.get $query2))))
      (i64.add
        (i64.add
          (i64.popcnt (i64.xor (i64.load offset=40 (local.get $half)) (local.get $query3)))
          (i64.popcnt (i64.xor (i64.load offset=48 (local.get $half)) (local.get $query4))))
        (i64.popcnt (i64.xor (i64.load offset=56 (local.get $half)) (local.get $query5)))))))

  ;; The product of the query with a row, if this is their cosine.
  (func $productFor (param $half i32) (param $length f32) (param $cosine f32) (result f32)
    (f32.add (f32.load (local.get $half))
      (f32.mul (f32.mul (local.get $length) (f32.load offset=4 (local.get $half))) (local.get $cosine))))

  ;; Bounds the products of the query with the rows at the places from $place to $end of the list, by their first signs.
  ;; Returns the place with the greatest bound.
  (func (export "bound") (param $place i32) (param $end i32) (param $length f32) (result i32)
    (local $head i32) (local $different i32) (local $bound f32) (local $greatest f32) (local $best i32)
    (local $query0 i64) (local $query1 i64) (local $query2 i64) (local $query3 i64) (local $query4 i64) (local $query5 i64)
    (local.set $query0 (i64.load (i32.const 0)))
    (local.set $query1 (i64.load (i32.const 8)))
    (local.set $query2 (i64.load (i32.const 16)))
    (local.set $query3 (i64.load (i32.const 24)))
    (local.set $query4 (i64.load (i32.const 32)))
    (local.set $query5 (i64.load (i32.const 40)))
    (local.set $greatest (f32.const -inf))
    (local.set $place (i32.shl (local.get $place) (i32.const 2)))
    (local.set $end (i32.shl (local.get $end) (i32.const 2)))
    (local.set $best (local.get $place))
    (block $done
      (loop $next_row
        (br_if $done (i32.ge_u (local.get $place) (local.get $end)))
        (local.set $head (call $head (i32.load offset=65536 (local.get $place))))
        (local.set $different (call $different (local.get $head)
          (local.get $query0) (local.get $query1) (local.get $query2)
          (local.get $query3) (local.get $query4) (local.get $query5)))
        (i32.store16 offset=12648448 (i32.shr_u (local.get $place) (i32.const 1)) (local.get $different))
        (local.set $bound (call $productFor (local.get $head) (local.get $length)
          (f32.load offset=1024 (i32.shl (local.get $different) (i32.const 2)))))
        (f32.store offset=4259840 (local.get $place) (local.get $bound))
        (if (f32.gt (local.get $bound) (local.get $greatest))
          (then
            (local.set $greatest (local.get $bound))
            (local.set $best (local.get $place))))
        (local.set $place (i32.add (local.get $place) (i32.const 4)))
        (br $next_row)))
    (i32.shr_u (local.get $best) (i32.const 2)))

  ;; Adds to the sums of a strip's rows, the first 16 and the others, what their codes are worth, in steps.
  (func $add (param $lower v128) (param $upper v128) (param $codes v128) (param $worths v128) (param $mask v128)
    (result v128 v128)
    (i8x16.add (local.get $lower)
      (i8x16.relaxed_swizzle (local.get $worths) (v128.and (local.get $codes) (local.get $mask))))
    (i8x16.add (local.get $upper)
      (i8x16.relaxed_swizzle (local.get $worths)
        (v128.and (i16x8.shr_u (local.get $codes) (i32.const 4)) (local.get $mask)))))

  ;; Bounds the four rows of a strip whose numbers stand $at bytes behind those of its first, and leaves out those that are
  ;; not visible. Returns the greater of their bounds and $greatest, each of the four.
  (func $boundFour (param $greatest v128) (param $at i32) (param $strip i32) (param $bounds i32) (param $visible i32)
    (param $steps v128) (param $step v128) (param $base v128) (param $length v128) (result v128)
    (local $four v128)
    (local.set $strip (i32.add (local.get $strip) (local.get $at)))
    (local.set $visible (i32.and (i32.shr_u (local.get $visible) (i32.shr_u (local.get $at) (i32.const 2))) (i32.const 15)))
    (local.set $four (f32x4.add
      (f32x4.add (v128.load offset=1536 (local.get $strip))
        (v128.load offset=28672 (i32.shl (local.get $visible) (i32.const 4))))
      (f32x4.add (f32x4.mul (v128.load offset=1792 (local.get $strip)) (local.get $length))
        (f32x4.mul (v128.load offset=1664 (local.get $strip))
          (f32x4.add (local.get $base) (f32x4.mul (local.get $step) (f32x4.convert_i32x4_s (local.get $steps))))))))
    (v128.store offset=4259840 (i32.add (local.get $bounds) (local.get $at)) (local.get $four))
    (f32x4.pmax (local.get $greatest) (local.get $four)))

  ;; Bounds the visible rows of the first $count strips by what their codes are worth to the query: the sum of their steps,
  ;; $step each, from $base on. Of each strip the greatest bound is written down.
  (func (export "scan") (param $count i32) (param $step f32) (param $base f32) (param $length f32)
    (local $number i32) (local $strip i32) (local $at i32) (local $worths i32) (local $bounds i32) (local $visible i32)
    (local $mask v128) (local $lower v128) (local $upper v128)
    (local $rows0 v128) (local $rows8 v128) (local $rows16 v128) (local $rows24 v128)
    (local $step4 v128) (local $base4 v128) (local $length4 v128) (local $greatest v128)
    (local.set $mask (v128.load (i32.const 112)))
    (local.set $step4 (f32x4.splat (local.get $step)))
    (local.set $base4 (f32x4.splat (local.get $base)))
    (local.set $length4 (f32x4.splat (local.get $length)))
    (block $done
      (loop $next_strip
        (br_if $done (i32.ge_u (local.get $number) (local.get $count)))
        (local.set $strip (call $strip (i32.shl (local.get $number) (i32.const 5))))
        (local.set $at (local.get $strip))
        (local.set $worths (i32.const 24576))
        (local.set $rows0 (v128.const i32x4 0 0 0 0))
        (local.set $rows8 (local.get $rows0))
        (local.set $rows16 (local.get $rows0))
        (local.set $rows24 (local.get $rows0))
        (loop $next_sixteen
          ;; Written out: a loop takes a quarter longer.
          (v128.const i32x4 0 0 0 0)
          (v128.const i32x4 0 0 0 0)
          (call $add (v128.load (local.get $at)) (v128.load (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=64 (local.get $at)) (v128.load offset=64 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=80 (local.get $at)) (v128.load offset=80 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=96 (local.get $at)) (v128.load offset=96 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=112 (local.get $at)) (v128.load offset=112 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=128 (local.get $at)) (v128.load offset=128 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=144 (local.get $at)) (v128.load offset=144 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=160 (local.get $at)) (v128.load offset=160 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=176 (local.get $at)) (v128.load offset=176 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=192 (local.get $at)) (v128.load offset=192 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=208 (local.get $at)) (v128.load offset=208 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=224 (local.get $at)) (v128.load offset=224 (local.get $worths)) (local.get $mask))
          (call $add (v128.load offset=240 (local.get $at)) (v128.load offset=240 (local.get $worths)) (local.get $mask))
          (local.set $upper)
          (local.set $lower)
          (local.set $rows0 (i16x8.add (local.get $rows0) (i16x8.extend_low_i8x16_u (local.get $lower))))
          (local.set $rows8 (i16x8.add (local.get $rows8) (i16x8.extend_high_i8x16_u (local.get $lower))))
          (local.set $rows16 (i16x8.add (local.get $rows16) (i16x8.extend_low_i8x16_u (local.get $upper))))
          (local.set $rows24 (i16x8.add (local.get $rows24) (i16x8.extend_high_i8x16_u (local.get $upper))))
          (local.set $at (i32.add (local.get $at) (i32.const 256)))
          (local.set $worths (i32.add (local.get $worths) (i32.const 256)))
          (br_if $next_sixteen (i32.lt_u (local.get $worths) (i32.const 26112))))
        (local.set $visible (i32.load offset=14876672 (i32.shl (local.get $number) (i32.const 2))))
        (local.set $bounds (i32.shl (local.get $number) (i32.const 7)))
        (local.set $greatest (f32x4.splat (f32.const -inf)))
        (local.set $greatest (call $boundFour (local.get $greatest) (i32.const 0)
          (local.get $strip) (local.get $bounds) (local.get $visible) (i32x4.extend_low_i16x8_u (local.get $rows0))
          (local.get $step4) (local.get $base4) (local.get $length4)))
        (local.set $greatest (call $boundFour (local.get $greatest) (i32.const 16)
          (local.get $strip) (local.get $bounds) (local.get $visible) (i32x4.extend_high_i16x8_u (local.get $rows0))
          (local.get $step4) (local.get $base4) (local.get $length4)))
        (local.set $greatest (call $boundFour (local.get $greatest) (i32.const 32)
          (local.get $strip) (local.get $bounds) (local.get $visible) (i32x4.extend_low_i16x8_u (local.get $rows8))
          (local.get $step4) (local.get $base4) (local.get $length4)))
        (local.set $greatest (call $boundFour (local.get $greatest) (i32.const 48)
          (local.get $strip) (local.get $bounds) (local.get $visible) (i32x4.extend_high_i16x8_u (local.get $rows8))
          (local.get $step4) (local.get $base4) (local.get $length4)))
        (local.set $greatest (call $boundFour (local.get $greatest) (i32.const 64)
          (local.get $strip) (local.get $bounds) (local.get $visible) (i32x4.extend_low_i16x8_u (local.get $rows16))
          (local.get $step4) (local.get $base4) (local.get $length4)))
        (local.set $greatest (call $boundFour (local.get $greatest) (i32.const 80)
          (local.get $strip) (local.get $bounds) (local.get $visible) (i32x4.extend_high_i16x8_u (local.get $rows16))
          (local.get $step4) (local.get $base4) (local.get $length4)))
        (local.set $greatest (call $boundFour (local.get $greatest) (i32.const 96)
          (local.get $strip) (local.get $bounds) (local.get $visible) (i32x4.extend_low_i16x8_u (local.get $rows24))
          (local.get $step4) (local.get $base4) (local.get $length4)))
        (local.set $greatest (call $boundFour (local.get $greatest) (i32.const 112)
          (local.get $strip) (local.get $bounds) (local.get $visible) (i32x4.extend_high_i16x8_u (local.get $rows24))
          (local.get $step4) (local.get $base4) (local.get $length4)))
        (f32.store offset=14745600 (i32.shl (local.get $number) (i32.const 2))
          (call $greatestOf (local.get $greatest)))
        (local.set $number (i32.add (local.get $number) (i32.const 1)))
        (br $next_strip))))

  (func $greatestOf (param $four v128) (result f32)
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $four)) (f32x4.extract_lane 1 (local.get $four)))
      (f32.max (f32x4.extract_lane 2 (local.get $four)) (f32x4.extract_lane 3 (local.get $four)))))

  ;; Makes the list, and the kept places, of those rows of the first $count strips whose bound is at least $least. Returns
  ;; their number.
  (func (export "keepRows") (param $count i32) (param $least f32) (result i32)
    (local $number i32) (local $row i32) (local $end i32) (local $four i32) (local $kept i32) (local $least4 v128)
    (local.set $least4 (f32x4.splat (local.get $least)))
    (block $done
      (loop $next_strip
        (br_if $done (i32.ge_u (local.get $number) (local.get $count)))
        (if (f32.ge (f32.load offset=14745600 (i32.shl (local.get $number) (i32.const 2))) (local.get $least))
          (then
            (local.set $row (i32.shl (local.get $number) (i32.const 5)))
            (local.set $end (i32.add (local.get $row) (i32.const 32)))
            (loop $next_four
              (local.set $four (i32x4.bitmask
                (f32x4.ge (v128.load offset=4259840 (i32.shl (local.get $row) (i32.const 2))) (local.get $least4))))
              (if (local.get $four)
                (then
                  (local.set $kept (call $listIf (local.get $kept) (local.get $row) (local.get $four)))
                  (local.set $kept (call $listIf (local.get $kept)
                    (i32.add (local.get $row) (i32.const 1)) (i32.shr_u (local.get $four) (i32.const 1))))
                  (local.set $kept (call $listIf (local.get $kept)
                    (i32.add (local.get $row) (i32.const 2)) (i32.shr_u (local.get $four) (i32.const 2))))
                  (local.set $kept (call $listIf (local.get $kept)
                    (i32.add (local.get $row) (i32.const 3)) (i32.shr_u (local.get $four) (i32.const 3))))))
              (local.set $row (i32.add (local.get $row) (i32.const 4)))
              (br_if $next_four (i32.lt_u (local.get $row) (local.get $end))))))
        (local.set $number (i32.add (local.get $number) (i32.const 1)))
        (br $next_strip)))
    (i32.shr_u (local.get $kept) (i32.const 2)))

  ;; Writes a row behind the listed ones, which end at $kept, with its place, and keeps both if the lowest bit is 1. Returns
  ;; where they end then.
  (func $listIf (param $kept i32) (param $row i32) (param $bit i32) (result i32)
    (i32.store offset=65536 (local.get $kept) (local.get $row))
    (call $keepIf (local.get $kept) (i32.shr_u (local.get $kept) (i32.const 2)) (local.get $bit)))

  ;; Keeps the places, of the first $count, whose bound is at least $least. Returns their number.
  (func (export "keep") (param $count i32) (param $least f32) (result i32)
    (local $place i32) (local $four i32) (local $kept i32) (local $least4 v128)
    (local.set $least4 (f32x4.splat (local.get $least)))
    ;; The last four may go beyond the list.
    (v128.store offset=4259840 (i32.shl (local.get $count) (i32.const 2)) (v128.const f32x4 -inf -inf -inf -inf))
    (block $done
      (loop $next_four
        (br_if $done (i32.ge_u (local.get $place) (local.get $count)))
        (local.set $four (i32x4.bitmask
          (f32x4.ge (v128.load offset=4259840 (i32.shl (local.get $place) (i32.const 2))) (local.get $least4))))
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

  ;; Writes a place behind the kept ones, which end at $kept, and keeps it if the lowest bit is 1: no branch, which the
  ;; processor would have to guess. Returns where they end then.
  (func $keepIf (param $kept i32) (param $place i32) (param $bit i32) (result i32)
    (i32.store offset=8454144 (local.get $kept) (local.get $place))
    (i32.add (local.get $kept) (i32.shl (i32.and (local.get $bit) (i32.const 1)) (i32.const 2))))

  ;; Bounds the first $count kept places by all signs, and keeps those whose bound is at least $least. Returns their
  ;; number.
  (func (export "keepBySigns") (param $count i32) (param $least f32) (param $length f32) (result i32)
    (local $at i32) (local $end i32) (local $kept i32) (local $place i32) (local $tail i32) (local $bound f32)
    (local $query0 i64) (local $query1 i64) (local $query2 i64) (local $query3 i64) (local $query4 i64) (local $query5 i64)
    (local.set $query0 (i64.load (i32.const 48)))
    (local.set $query1 (i64.load (i32.const 56)))
    (local.set $query2 (i64.load (i32.const 64)))
    (local.set $query3 (i64.load (i32.const 72)))
    (local.set $query4 (i64.load (i32.const 80)))
    (local.set $query5 (i64.load (i32.const 88)))
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    (block $done
      (loop $next_row
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $place (i32.load offset=8454144 (local.get $at)))
        (local.set $tail (call $tail (i32.load offset=65536 (i32.shl (local.get $place) (i32.const 2)))))
        (local.set $bound (call $productFor (local.get $tail) (local.get $length)
          (f32.load offset=4096 (i32.shl
            (i32.add
              (i32.load16_u offset=12648448 (i32.shl (local.get $place) (i32.const 1)))
              (call $different (local.get $tail)
                (local.get $query0) (local.get $query1) (local.get $query2)
                (local.get $query3) (local.get $query4) (local.get $query5)))
            (i32.const 2)))))
        (f32.store offset=4259840 (i32.shl (local.get $place) (i32.const 2)) (local.get $bound))
        (local.set $kept (call $keepIf (local.get $kept) (local.get $place) (f32.ge (local.get $bound) (local.get $least))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next_row)))
    (i32.shr_u (local.get $kept) (i32.const 2)))

  ;; The product of the query's levels and a row's.
  (func $product (param $row i32) (result i32)
    (local $at i32) (local $lower v128) (local $numbers v128) (local $sum v128) (local $sums v128)
    (local $query i32) (local $end i32)
    (local.set $lower (v128.load (i32.const 112)))
    (local.set $query (i32.const 8192))
    (local.set $end (i32.const 8960))
    (loop $next_part
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $at (i32.add (local.get $query) (i32.const 128)))
      (loop $next_32
        (local.set $numbers (v128.load (local.get $row)))
        (local.set $sum (i16x8.add (local.get $sum) (i16x8.add
          (i16x8.relaxed_dot_i8x16_i7x16_s (v128.load (local.get $query))
            (v128.and (local.get $numbers) (local.get $lower)))
          (i16x8.relaxed_dot_i8x16_i7x16_s (v128.load offset=16 (local.get $query))
            (v128.and (i16x8.shr_u (local.get $numbers) (i32.const 4))
              (local.get $lower))))))
        (local.set $row (i32.add (local.get $row) (i32.const 16)))
        (local.set $query (i32.add (local.get $query) (i32.const 32)))
        (br_if $next_32 (i32.lt_u (local.get $query) (local.get $at))))
      (local.set $sums (i32x4.add (local.get $sums) (i32x4.extadd_pairwise_i16x8_s (local.get $sum))))
      (br_if $next_part (i32.lt_u (local.get $query) (local.get $end))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
      (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))

  ;; Reads a byte of each cache line of the sketches of the kept places from $at to $end, all at once rather than one
  ;; after another as they are needed.
  (func $fetch (param $at i32) (param $end i32) (result i32)
    (local $row i32) (local $line i32) (local $sum i32)
    (loop $next_row
      (local.set $row (i32.load offset=65536 (i32.shl (i32.load offset=8454144 (local.get $at)) (i32.const 2))))
      (local.set $sum (i32.add (local.get $sum) (i32.load8_u (call $tail (local.get $row)))))
      (local.set $line (call $levels (local.get $row)))
      (local.set $sum (i32.add (local.get $sum) (i32.load8_u (local.get $line))))
      (local.set $sum (i32.add (local.get $sum) (i32.load8_u offset=64 (local.get $line))))
      (local.set $sum (i32.add (local.get $sum) (i32.load8_u offset=128 (local.get $line))))
      (local.set $sum (i32.add (local.get $sum) (i32.load8_u offset=192 (local.get $line))))
      (local.set $sum (i32.add (local.get $sum) (i32.load8_u offset=256 (local.get $line))))
      (local.set $sum (i32.add (local.get $sum) (i32.load8_u offset=320 (local.get $line))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $next_row (i32.lt_u (local.get $at) (local.get $end))))
    (local.get $sum))

  ;; Of the first $count kept places, keeps those whose closer bound is at least $least. Returns their number.
  (func (export "keepCloser") (param $count i32) (param $least f32) (param $worth f32) (param $middle f32) (param $reach f32)
    (result i32)
    (local $at i32) (local $end i32) (local $kept i32) (local $place i32) (local $row i32) (local $tail i32)
    (local $fetched i32)
    (local.set $end (i32.shl (local.get $count) (i32.const 2)))
    (block $done
      (loop $next_row
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (if (i32.ge_u (local.get $at) (local.get $fetched))
          (then
            (local.set $fetched (i32.add (local.get $at) (i32.const 32)))
            (i32.store (i32.const 96) (call $fetch (local.get $at)
              (select (local.get $fetched) (local.get $end) (i32.lt_u (local.get $fetched) (local.get $end)))))))
        (local.set $place (i32.load offset=8454144 (local.get $at)))
        (local.set $row (i32.load offset=65536 (i32.shl (local.get $place) (i32.const 2))))
        (local.set $tail (call $tail (local.get $row)))
        (local.set $kept (call $keepIf (local.get $kept) (local.get $place) (f32.ge
          (f32.add (f32.load (local.get $tail))
            (f32.add
              (f32.mul (f32.load offset=8 (local.get $tail)) (f32.mul (local.get $worth)
                (f32.sub (f32.convert_i32_s (call $product (call $levels (local.get $row)))) (local.get $middle))))
              (f32.mul (f32.load offset=12 (local.get $tail)) (local.get $reach))))
          (local.get $least))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next_row)))
    (i32.shr_u (local.get $kept) (i32.const 2)))

  ;; One butterfly of four and four neighbours.
  (func $butterfly (param $one i32) (param $other i32)
    (local $x v128) (local $y v128)
    (local.set $x (v128.load offset=12288 (local.get $one)))
    (local.set $y (v128.load offset=12288 (local.get $other)))
    (v128.store offset=12288 (local.get $one) (f32x4.add (local.get $x) (local.get $y)))
    (v128.store offset=12288 (local.get $other) (f32x4.sub (local.get $x) (local.get $y))))

  ;; Rotates the vector: twice random signs, a Hadamard transform of each 256 numbers, and a reflection across the three.
  (func (export "rotate")
    (local $round i32) (local $at i32) (local $half i32) (local $end i32) (local $x v128) (local $y v128)
    (loop $next_round
      (local.set $at (i32.const 0))
      (loop $next_four
        (local.set $x (f32x4.mul (v128.load offset=12288 (local.get $at))
          (v128.load offset=16384 (i32.add (local.get $at) (local.get $round)))))
        (local.set $x (f32x4.add
          (f32x4.mul (local.get $x) (v128.const f32x4 1 -1 1 -1))
          (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $x) (local.get $x))))
        (local.set $x (f32x4.add
          (f32x4.mul (local.get $x) (v128.const f32x4 1 1 -1 -1))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
        (v128.store offset=12288 (local.get $at) (local.get $x))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next_four (i32.lt_u (local.get $at) (i32.const 3072))))
      (local.set $half (i32.const 16))
      (loop $next_half
        (local.set $at (i32.const 0))
        (loop $next_pair
          (local.set $end (i32.add (local.get $at) (local.get $half)))
          (loop $next_butterfly
            (call $butterfly (local.get $at) (i32.add (local.get $at) (local.get $half)))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br_if $next_butterfly (i32.lt_u (local.get $at) (local.get $end))))
          (local.set $at (i32.add (local.get $at) (local.get $half)))
          (br_if $next_pair (i32.lt_u (local.get $at) (i32.const 3072))))
        (local.set $half (i32.shl (local.get $half) (i32.const 1)))
        (br_if $next_half (i32.lt_u (local.get $half) (i32.const 1024))))
      (local.set $at (i32.const 0))
      (loop $next_reflected
        (local.set $x (v128.load offset=12288 (local.get $at)))
        (local.set $y (v128.load offset=13312 (local.get $at)))
        (local.set $x (f32x4.mul (v128.const f32x4 0.6666667 0.6666667 0.6666667 0.6666667)
          (f32x4.add (f32x4.add (local.get $x) (local.get $y)) (v128.load offset=14336 (local.get $at)))))
        (v128.store offset=12288 (local.get $at) (f32x4.sub (v128.load offset=12288 (local.get $at)) (local.get $x)))
        (v128.store offset=13312 (local.get $at) (f32x4.sub (local.get $y) (local.get $x)))
        (v128.store offset=14336 (local.get $at) (f32x4.sub (v128.load offset=14336 (local.get $at)) (local.get $x)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next_reflected (i32.lt_u (local.get $at) (i32.const 1024))))
      (local.set $round (i32.add (local.get $round) (i32.const 3072)))
      (br_if $next_round (i32.lt_u (local.get $round) (i32.const 6144))))))
