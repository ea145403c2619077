;; Sketches of vectors: how far a vector can be from the query at most, told by a sixth of its bytes.
;;
;;          0   the query: 768 signs, 96 bytes
;;         96   a number that nobody reads, u32
;;        112   sixteen times 15, from where a loop takes it: V8 makes a constant anew wherever it stands
;;       1024   the greatest cosine for each number of different signs in the first half, 385 f32
;;       4096   the greatest cosine for each number of different signs in both halves, 769 f32
;;       8192   the query in levels, 768 i8
;;      12288   a vector to rotate, 768 f32
;;      16384   the signs of the rotation: two rounds of 768 f32, each ±1/16
;;      65536   the numbers of at most 1,048,576 rows, u32
;;    4259840   the bound of each, f32
;;    8454144   the places in the list that are kept, u32
;;   12648448   how many signs of the first half are different, u16
;;   14745600   sketches, in blocks of 1,024 rows: a head of 64 bytes of each, then a tail of 64, then 384 bytes of each
;;
;; Head and tail are a cache line each: the product with the mean, the length, the worth of a level, its error (f32) and
;; half the signs. The numbers stand in both, so that no step reads more than one of them. The 384 bytes are the levels, 4
;; bits each, dimension i of 32 beside dimension i + 16.
(module
  (memory (export "memory") 225 65536)
  (data (i32.const 112) "\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f\0f")

  (func $block (param $row i32) (result i32)
    (i32.add (i32.const 14745600) (i32.shl (i32.shr_u (local.get $row) (i32.const 10)) (i32.const 19))))

  (func $head (export "head") (param $row i32) (result i32)
    (i32.add (call $block (local.get $row)) (i32.shl (i32.and (local.get $row) (i32.const 1023)) (i32.const 6))))

  (func $tail (export "tail") (param $row i32) (result i32)
    (i32.add (call $head (local.get $row)) (i32.const 65536)))

  (func $levels (export "levels") (param $row i32) (result i32)
    (i32.add (i32.add (call $block (local.get $row)) (i32.const 131072))
      (i32.mul (i32.and (local.get $row) (i32.const 1023)) (i32.const 384))))

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
