import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** A script, which has no types. */
const { withoutOrder }: { readonly withoutOrder: (source: string) => string } = await import(
  join(import.meta.dirname, '../.ci/without-order.mjs')
)

describe('Two reports of the public surface', () => {
  it.each([
    [
      'the order of a union',
      "type A = 'b' | 'c' | { d: 'e' | 'f' }",
      "type A = { d: 'f' | 'e' } | 'c' | 'b'",
    ],
    [
      'the order of fields without a name for their type',
      'const a: { b: 1; c: 2; }',
      'const a: { c: 2; b: 1; }',
    ],
    ['its lines', "type A = 'b' | 'c'", "type A =\n  | 'c'\n  | 'b'"],
  ])('are the same but for %s', (_, one, other) => {
    expect(withoutOrder(one)).toBe(withoutOrder(other))
  })

  it.each([
    [
      'parameters in another order',
      'const f: (a: string, b: string) => void',
      'const f: (b: string, a: string) => void',
    ],
    [
      'a field of another type',
      'interface A { b: 1 } interface C {}',
      'interface A {} interface C { b: 1 }',
    ],
    ['a field that may be absent', 'interface A { b: 1 }', 'interface A { b?: 1 }'],
    ['a list', 'const a: string', 'const a: string[]'],
    ['one member less', "type A = 'b' | 'c'", "type A = 'b'"],
    ['a mark', '// @public\ntype A = 1', '// @public @deprecated\ntype A = 1'],
  ])('differ in %s', (_, one, other) => {
    expect(withoutOrder(one)).not.toBe(withoutOrder(other))
  })
})
