;; Counts newlines and finds literals, 16 bytes at a time. `npm run wasm` writes scan-module.ts from this file.
;;
;; The first page has scratch memory (16 bytes at address 0) and the sets of literals, which literal-set.ts writes:
;;
;;   0    length of the shortest literal
;;   4    three offsets below that length: the bytes that the scan looks at
;;   16   end of the set
;;   32   six tables of 16 bytes for the scan
;;   128  each literal: its length, its buckets (bits), then for every 16 bytes the bits to set and the bytes to expect
;;
;; Ignoring case sets bit 5 of letters before it compares. The bytes to search are after the first page. Loads may reach
;; up to 16 bytes beyond them.
(module
  (memory (export "memory") 6)

  ;; Returns the number of newlines from $at to $to.
  (func (export "count") (param $at i32) (param $to i32) (result i32)
    (local $count i32) (local $stop i32) (local $sums v128)
    (loop $rounds
      (if (i32.le_u (i32.add (local.get $at) (i32.const 16)) (local.get $to))
        (then
          ;; After 255 blocks a sum could overflow.
          (local.set $stop (i32.sub (local.get $to) (i32.const 16)))
          (if (i32.gt_u (i32.sub (local.get $stop) (local.get $at)) (i32.const 4064))
            (then (local.set $stop (i32.add (local.get $at) (i32.const 4064)))))
          (local.set $sums (v128.const i64x2 0 0))
          (loop $blocks
            (local.set $sums
              (i8x16.sub
                (local.get $sums)
                (i8x16.eq (v128.load (local.get $at)) (v128.const i64x2 0x0a0a0a0a0a0a0a0a 0x0a0a0a0a0a0a0a0a))))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br_if $blocks (i32.le_u (local.get $at) (local.get $stop))))
          (local.set $sums (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $sums))))
          (local.set $sums
            (i64x2.add
              (i64x2.extend_low_i32x4_u (local.get $sums))
              (i64x2.extend_high_i32x4_u (local.get $sums))))
          (local.set $count
            (i32.add
              (local.get $count)
              (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 2 (local.get $sums)))))
          (br $rounds))))
    (loop $rest
      (if (i32.lt_u (local.get $at) (local.get $to))
        (then
          (local.set $count (i32.add (local.get $count) (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0a))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $rest))))
    (local.get $count))

  ;; Returns whether a literal of one of the buckets is at $at and ends by $to.
  (func $isAt (param $set i32) (param $at i32) (param $to i32) (param $buckets i32) (result i32)
    (local $literal i32) (local $block i32) (local $next i32) (local $byte i32)
    (local.set $next (i32.add (local.get $set) (i32.const 128)))
    (loop $literals
      (local.set $literal (local.get $next))
      (if (i32.eq (local.get $literal) (i32.load offset=16 (local.get $set)))
        (then (return (i32.const 0))))
      (local.set $block (i32.add (local.get $literal) (i32.const 8)))
      ;; 32 bytes for every 16 bytes of the literal.
      (local.set $next
        (i32.add
          (local.get $block)
          (i32.and
            (i32.add (i32.shl (i32.load (local.get $literal)) (i32.const 1)) (i32.const 30))
            (i32.const -32))))
      (br_if $literals (i32.eqz (i32.and (local.get $buckets) (i32.load offset=4 (local.get $literal)))))
      (br_if $literals
        (i32.gt_u (i32.add (local.get $at) (i32.load (local.get $literal))) (local.get $to)))
      (local.set $byte (local.get $at))
      (loop $blocks
        (br_if $literals
          (i32.eqz
            (i8x16.all_true
              (i8x16.eq
                (v128.or (v128.load (local.get $byte)) (v128.load (local.get $block)))
                (v128.load offset=16 (local.get $block))))))
        (local.set $byte (i32.add (local.get $byte) (i32.const 16)))
        (br_if $blocks
          (i32.lt_u (local.tee $block (i32.add (local.get $block) (i32.const 32))) (local.get $next)))))
    (i32.const 1))

  ;; Returns the first of the 16 addresses from $at where a literal is, or -1. $hits has the possible buckets of each address.
  (func $firstOf (param $set i32) (param $at i32) (param $to i32) (param $hits v128) (result i32)
    (local $lanes i32) (local $lane i32)
    (v128.store (i32.const 0) (local.get $hits))
    (local.set $lanes (i8x16.bitmask (i8x16.ne (local.get $hits) (v128.const i64x2 0 0))))
    (loop $next
      (if (i32.eqz (local.get $lanes)) (then (return (i32.const -1))))
      (local.set $lane (i32.ctz (local.get $lanes)))
      (local.set $lanes (i32.and (local.get $lanes) (i32.sub (local.get $lanes) (i32.const 1))))
      (br_if $next
        (i32.eqz
          (call $isAt
            (local.get $set)
            (i32.add (local.get $at) (local.get $lane))
            (local.get $to)
            (i32.load8_u (local.get $lane))))))
    (i32.add (local.get $at) (local.get $lane)))

  ;; Returns the first address of the set's only literal, or -1: compares two of its bytes, and all where both are equal.
  ;; Tables: the bits to set and the byte to expect, for both.
  (func (export "findOne") (param $set i32) (param $at i32) (param $to i32) (result i32)
    (local $last i32) (local $found i32) (local $hits v128)
    (local $offset0 i32) (local $bits0 v128) (local $byte0 v128)
    (local $offset1 i32) (local $bits1 v128) (local $byte1 v128)
    (local.set $last (i32.sub (local.get $to) (i32.load (local.get $set))))
    (local.set $offset0 (i32.load offset=4 (local.get $set)))
    (local.set $offset1 (i32.load offset=8 (local.get $set)))
    (local.set $bits0 (v128.load offset=32 (local.get $set)))
    (local.set $byte0 (v128.load offset=48 (local.get $set)))
    (local.set $bits1 (v128.load offset=64 (local.get $set)))
    (local.set $byte1 (v128.load offset=80 (local.get $set)))
    (loop $next
      (if (i32.gt_u (local.get $at) (local.get $last)) (then (return (i32.const -1))))
      (local.set $hits
        (v128.and
          (i8x16.eq
            (v128.or (v128.load (i32.add (local.get $at) (local.get $offset0))) (local.get $bits0))
            (local.get $byte0))
          (i8x16.eq
            (v128.or (v128.load (i32.add (local.get $at) (local.get $offset1))) (local.get $bits1))
            (local.get $byte1))))
      (if (v128.any_true (local.get $hits))
        (then
          (local.set $found (call $firstOf (local.get $set) (local.get $at) (local.get $to) (local.get $hits)))
          (if (i32.ge_s (local.get $found) (i32.const 0)) (then (return (local.get $found))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br $next))
    (unreachable))

  ;; Returns the first address of any literal of the set, or -1. The algorithm is Teddy, of Hyperscan and ripgrep: a byte selects
  ;; the buckets of literals that have it at an offset, by its low and its high half.
  (func (export "findAny") (param $set i32) (param $at i32) (param $to i32) (result i32)
    (local $last i32) (local $found i32) (local $bytes v128) (local $hits v128)
    (local $offset0 i32) (local $low0 v128) (local $high0 v128)
    (local $offset1 i32) (local $low1 v128) (local $high1 v128)
    (local.set $last (i32.sub (local.get $to) (i32.load (local.get $set))))
    (local.set $offset0 (i32.load offset=4 (local.get $set)))
    (local.set $offset1 (i32.load offset=8 (local.get $set)))
    (local.set $low0 (v128.load offset=32 (local.get $set)))
    (local.set $high0 (v128.load offset=48 (local.get $set)))
    (local.set $low1 (v128.load offset=64 (local.get $set)))
    (local.set $high1 (v128.load offset=80 (local.get $set)))
    (loop $next
      (if (i32.gt_u (local.get $at) (local.get $last)) (then (return (i32.const -1))))
      (local.set $bytes (v128.load (i32.add (local.get $at) (local.get $offset0))))
      (local.set $hits
        (v128.and
          (i8x16.swizzle (local.get $low0) (v128.and (local.get $bytes) (v128.const i64x2 0x0f0f0f0f0f0f0f0f 0x0f0f0f0f0f0f0f0f)))
          (i8x16.swizzle (local.get $high0) (i8x16.shr_u (local.get $bytes) (i32.const 4)))))
      (local.set $bytes (v128.load (i32.add (local.get $at) (local.get $offset1))))
      (local.set $hits
        (v128.and
          (local.get $hits)
          (v128.and
            (i8x16.swizzle (local.get $low1) (v128.and (local.get $bytes) (v128.const i64x2 0x0f0f0f0f0f0f0f0f 0x0f0f0f0f0f0f0f0f)))
            (i8x16.swizzle (local.get $high1) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))
      ;; The third byte rules out most of the rest.
      (if (v128.any_true (local.get $hits))
        (then
          (local.set $bytes (v128.load (i32.add (local.get $at) (i32.load offset=12 (local.get $set)))))
          (local.set $hits
            (v128.and
              (local.get $hits)
              (v128.and
                (i8x16.swizzle
                  (v128.load offset=96 (local.get $set))
                  (v128.and (local.get $bytes) (v128.const i64x2 0x0f0f0f0f0f0f0f0f 0x0f0f0f0f0f0f0f0f)))
                (i8x16.swizzle
                  (v128.load offset=112 (local.get $set))
                  (i8x16.shr_u (local.get $bytes) (i32.const 4))))))
          (local.set $found (call $firstOf (local.get $set) (local.get $at) (local.get $to) (local.get $hits)))
          (if (i32.ge_s (local.get $found) (i32.const 0)) (then (return (local.get $found))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br $next))
    (unreachable)))
