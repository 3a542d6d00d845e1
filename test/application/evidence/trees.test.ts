import { describe, expect, it } from 'vitest'
import {
  canonicalJson,
  consistencyRanges,
  growingTree,
  inclusionRanges,
  isConsistent,
  isIncluded,
  leafHash,
  type Range,
  rootOf,
  rootsOfRanges,
} from '../../../src/application/evidence/tree.js'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The leaves that the tests of Certificate Transparency have, and the roots of their first 0 to 8. */
const LEAVES = ['', '\0', '\x10', ' !', '01', '@ABC', 'PQRSTUVW', '`abcdefghijklmno']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const leaves = Array.from({ length: 40 }, (_, index) => leafHash(`leaf ${index}`))
const treeOf = (size: number) => {
  const tree = growingTree()
  for (const leaf of leaves.slice(0, size)) tree.add(leaf)
  return { size, root: tree.root(), frontier: tree.frontier() }
}
const rootsFor = (ranges: readonly Range[]) => {
  const collected = rootsOfRanges(ranges)
  for (const leaf of leaves) collected.add(leaf)
  return collected.roots()
}

describe('A tree that is continued', () => {
  it('throws when it has fewer subtrees than its size says', () => {
    const broken = growingTree({ size: 1, frontier: [] })
    expect(() => broken.add(leafHash('a'))).toThrow('fewer full subtrees')
  })
})

describe('A tree of hashes', () => {
  it('has the roots of RFC 6962', () => {
    const tree = growingTree()
    const roots = [hex(tree.root())]
    for (const leaf of LEAVES) {
      tree.add(leafHash(leaf))
      roots.push(hex(tree.root()))
    }
    expect(roots).toEqual(ROOTS)
  })

  it('goes on from its frontier, at every size', () => {
    for (let size = 0; size <= 40; size++) {
      const begun = treeOf(size)
      expect(rootOf(begun.frontier)).toEqual(begun.root)
      const tree = growingTree(begun)
      for (const leaf of leaves.slice(size)) tree.add(leaf)
      expect(tree.root()).toEqual(treeOf(40).root)
    }
  })

  it('proves each leaf of each size, and no other leaf, place, size or root', () => {
    for (let size = 1; size <= 40; size++)
      for (let index = 0; index < size; index++) {
        const [leaf, root] = [leaves[index]!, treeOf(size).root]
        const proof = { leaf, index, size, root, path: rootsFor(inclusionRanges(index, size)) }
        expect(isIncluded(proof)).toBe(true)
        expect(isIncluded({ ...proof, leaf: leafHash('another') })).toBe(false)
        expect(isIncluded({ ...proof, index: size })).toBe(false)
        expect(isIncluded({ ...proof, index: index - 0.5 })).toBe(false)
        expect(isIncluded({ ...proof, root: leafHash('another') })).toBe(false)
        expect(isIncluded({ ...proof, path: [...proof.path, leaf] })).toBe(false)
        if (size > 1) {
          expect(isIncluded({ ...proof, index: (index + 1) % size })).toBe(false)
          expect(isIncluded({ ...proof, path: proof.path.slice(1) })).toBe(false)
        }
      }
  })

  it('proves that it goes on from each earlier one, and from no other', () => {
    for (let size = 1; size <= 40; size++)
      for (let earlier = 1; earlier <= size; earlier++) {
        const path = rootsFor(consistencyRanges(earlier, size))
        const proof = { earlier: treeOf(earlier), later: treeOf(size), path }
        expect(isConsistent(proof)).toBe(true)
        const other = { size: earlier, root: leafHash('another') }
        expect(isConsistent({ ...proof, earlier: other })).toBe(false)
        expect(isConsistent({ ...proof, later: { ...other, size } })).toBe(false)
        expect(isConsistent({ ...proof, path: [...path, leaves[0]!] })).toBe(false)
        if (path.length > 0) expect(isConsistent({ ...proof, path: path.slice(0, -1) })).toBe(false)
      }
    expect(isConsistent({ earlier: treeOf(0), later: treeOf(3), path: [] })).toBe(true)
    expect(isConsistent({ earlier: treeOf(3), later: treeOf(2), path: [] })).toBe(false)
  })
})

/** A letter that some editors write as two. */
const FB33 = '\ufb33'

describe('Canonical JSON', () => {
  it('is that of RFC 8785', () => {
    const value = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false],
      "\ud83d\ude00": 1, "\ufb33": 2, "\u20ac": 3, "1": 4, "\r": 5, "__proto__": {}
    }`)
    expect(canonicalJson(value)).toBe(
      String.raw`{"\r":5,"1":4,"__proto__":{},"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\u000f\nA'B\"\\\\\"/","€":3,"😀":1,"${FB33}":2}`,
    )
    expect(canonicalJson({ b: undefined, a: [undefined] })).toBe('{"a":[null]}')
  })
})
