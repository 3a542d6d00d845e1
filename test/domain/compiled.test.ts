import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod/mini'
import { compiled } from '../../src/domain/message.js'
import * as claviger from '../../src/index.js'

const schemas = Object.entries(claviger).flatMap(([name, value]) =>
  value instanceof z.ZodMiniType ? [{ name, schema: value }] : [],
)

/** What a schema says of `value`, in full. */
const verdictOf = (schema: z.ZodMiniType, value: unknown) => {
  const { success, data, error } = schema.safeParse(value)
  return { success, data, issues: error?.issues, isValid: z.validate(schema, value) }
}

/** What else a field may be: what its schema allows, where it names it. */
const likely = (schema: unknown): fc.Arbitrary<unknown>[] => {
  if (schema instanceof z.ZodMiniLiteral) return [fc.constantFrom(...schema.def.values)]
  if (schema instanceof z.ZodMiniEnum) return [fc.constantFrom(...schema.options)]
  if (schema instanceof z.ZodMiniReadonly) return [nearly(schema)]
  return [fc.constant(undefined), fc.uint8Array()]
}

/** Objects that have the fields of `schema`, of any kind, or nearly. */
const nearly = (schema: unknown): fc.Arbitrary<unknown> => {
  const read = schema instanceof z.ZodMiniReadonly ? schema.def.innerType : schema
  const fields = read instanceof z.ZodMiniObject ? Object.entries(read.shape) : []
  const model = Object.fromEntries(
    fields.map(([field, inner]) => [
      field,
      inner instanceof z.ZodMiniObject
        ? nearly(inner)
        : fc.oneof(...likely(inner), fc.string(), fc.boolean(), fc.anything()),
    ]),
  )
  return fc.oneof(fc.anything(), fc.record(model, { requiredKeys: [] }))
}

describe('A compiled schema', () => {
  it('is of every schema that there is', () => {
    expect(schemas.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['AddProjectRole', 'ProjectEvent', 'DesiredAccess', 'Plan']),
    )
  })

  it.each(schemas)('says of any value what the schema says: $name', ({ schema }) => {
    expect(compiled(schema)).not.toBe(schema)
    const isSame = (value: unknown) => {
      expect(verdictOf(compiled(schema), value)).toEqual(verdictOf(schema, value))
    }
    fc.assert(fc.property(nearly(schema), isSame), { numRuns: 200 })
  })

  it('reads what is valid, defaults included', () => {
    const data = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }
    const { data: schema } = claviger.AddProjectRole.shape
    expect(compiled(schema).parse(data)).toEqual({ ...data, group: '' })
  })

  it('is not made where the host has switched it off', () => {
    z.config({ jitless: true })
    onTestFinished(() => void z.config({ jitless: false }))
    const schema = z.object({ name: z.string() })
    expect(compiled(schema)).toBe(schema)
  })

  it('is not made where generating code is forbidden, which is tried once', async () => {
    vi.resetModules()
    const { compiled } = await import('../../src/domain/message.js')
    let tries = 0
    vi.stubGlobal(
      'Function',
      class {
        constructor() {
          tries++
          throw new EvalError('Code generation from strings disallowed for this context')
        }
      },
    )
    onTestFinished(() => {
      vi.unstubAllGlobals()
      // Files that share the process would be given the module that may not generate code.
      vi.resetModules()
    })
    for (const schema of [z.object({ name: z.string() }), z.object({ id: z.string() })])
      expect(compiled(schema)).toBe(schema)
    expect(tries).toBe(1)
  })

  it('is made for the files that follow in this process', async () => {
    const { compiled } = await import('../../src/domain/message.js')
    const schema = z.object({ name: z.string() })
    expect(compiled(schema)).not.toBe(schema)
  })

  it('is made once', () => {
    expect(compiled(claviger.AddProject)).toBe(compiled(claviger.AddProject))
  })
})
