import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Editor } from './editor.js'
import { EDITORS } from './editors.js'

/** What stands before the lines below. */
const HEAD = `
  import type { CheckAccessInput, Context, Iam } from 'claviger'
  import { items, orThrow } from 'claviger'
  declare const iam: Iam
  declare const context: Context
  declare const user: { userId: string; projectId: string }
  declare const maybe: string | undefined
  declare const sometime: Date | undefined
  declare const given: { userId: string; projectId: string; roleKey: string | undefined }
  declare const partial: { userId: string; projectId: string; permission?: string }
  declare const both: { userId: string; projectId: string; roleKey: string; permission: string }
  declare const body: any
  export const used = [iam, context, user, maybe, sometime, given, partial, both, body, items, orThrow]
  export type Used = CheckAccessInput
`

const FINE = [
  'iam.access.METHOD(user, context)',
  "iam.access.METHOD({ ...user, roleKey: 'editor' }, context)",
  "iam.access.METHOD({ ...user, permission: 'invoice.approve' }, context)",
  "iam.access.METHOD({ ...user, projectOrgId: 'vendor', roleKey: 'editor', at: new Date() }, context)",
  'iam.access.METHOD({ ...user, projectOrgId: maybe }, context)',
  'iam.access.METHOD({ userId: body.user, projectId: body.project, roleKey: body.role }, context)',
  "iam.access.METHOD({ ...user, roleKey: 'editor' } as const, context)",
  "const asked = { ...user, roleKey: 'editor' }; iam.access.METHOD(asked, context)",
  'export const guard = (input: CheckAccessInput) => iam.access.METHOD(input, context)',
  'export const answer = async () => (await orThrow(iam.access.METHOD(user, context))).roleKeys.join()',
]

const REFUSED = [
  'iam.access.METHOD({ ...user, roleKey: undefined }, context)',
  'iam.access.METHOD({ ...user, permission: undefined }, context)',
  'iam.access.METHOD({ ...user, at: undefined }, context)',
  "iam.access.METHOD({ ...user, roleKey: 'editor', at: undefined }, context)",
  "iam.access.METHOD({ ...user, roleKey: 'editor', permission: undefined }, context)",
  'iam.access.METHOD({ ...user, roleKey: maybe }, context)',
  'iam.access.METHOD({ ...user, permission: maybe }, context)',
  'iam.access.METHOD({ ...user, at: sometime }, context)',
  'iam.access.METHOD(given, context)',
  'iam.access.METHOD({ ...given }, context)',
  'iam.access.METHOD(both, context)',
  "iam.access.METHOD({ ...user, roleKey: 'editor', permission: 'invoice.approve' }, context)",
  "iam.access.METHOD({ ...user, rolekey: 'editor' }, context)",
  'iam.access.METHOD({ ...user, roleKey: 5 }, context)',
  "iam.access.METHOD({ projectId: 'portal', roleKey: 'editor' }, context)",
  'iam.access.METHOD({}, context)',
]

const OF_METHODS = (['check', 'require'] as const).map(
  (method) =>
    [
      method,
      FINE.map((line) => line.replace('METHOD', method)),
      REFUSED.map((line) => line.replace('METHOD', method)),
    ] as const,
)

const program = (lines: readonly string[]): string => `${HEAD}${lines.join('\n')}`

const FIRST_LINE = HEAD.split('\n').length

describe.each(EDITORS)('TypeScript %s', (_, open) => {
  describe.each([true, false])('with exactOptionalPropertyTypes: %s', (isExact) => {
    let editor: Editor
    beforeAll(async () => {
      editor = await open({ exactOptionalPropertyTypes: isExact })
    })
    afterAll(() => editor.close())

    /** The line of each objection. */
    const refusedOf = async (lines: readonly string[]): Promise<readonly string[]> => {
      const objections = await editor.objections(program(lines))
      return objections.map(({ line }) => lines[line - FIRST_LINE] ?? `line ${line}`)
    }

    it.each(OF_METHODS)('access.%s takes what is one question', async (_, fine) => {
      expect(await refusedOf(fine)).toEqual([])
    })

    it.each(OF_METHODS)(
      'access.%s takes nothing that may be another question',
      async (method, _, refused) => {
        // Where an optional property cannot be undefined, such a value is one question or the other.
        const partial = isExact ? [] : [`iam.access.${method}(partial, context)`]
        const lines = [...refused, ...partial]
        expect(await refusedOf(lines)).toEqual(lines)
      },
    )

    it('the items of a list have their type, and its input too', async () => {
      const fine = [
        "export const f = async () => { for await (const { roleKey } of items(iam.access.rolesOf, { userId: 'u' }, context)) roleKey.trim() }",
        "export const g = async () => { for await (const { time } of items(iam.history.list, { user: 'u' }, context)) time.getTime() }",
      ]
      const refused = [
        'items(iam.access.rolesOf, {}, context)',
        "items(iam.access.rolesOf, { userId: 'u', misspelt: 1 }, context)",
        "items(iam.projects.get, { id: 'p' }, context)",
      ]
      expect(await refusedOf([...fine, ...refused])).toEqual(refused)
    })
  })
})
