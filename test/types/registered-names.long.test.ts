import { describe, expect, it } from 'vitest'
import { EDITORS } from './editors.js'

const names = Array.from({ length: 1_000 }, (_, n) => `invoice.do${n}`)

const HEAD = (register: boolean) => `
  import { type DesiredAccess, defineAccess, type Iam, type LiveChecks, type Context } from 'claviger'
  declare const iam: Iam
  declare const live: LiveChecks
  declare const context: Context
  const access = defineAccess({
    projects: [{ id: 'invoicing', name: 'Invoicing', roles: [
      { roleKey: 'approver', displayName: 'Approver', permissions: ['invoice.approve', 'invoice.read'] },
      { roleKey: 'viewer', displayName: 'Viewer' },
      { roleKey: 'all', displayName: 'All', permissions: [${names.map((name) => `'${name}'`).join(', ')}] },
    ] }],
  } as const satisfies DesiredAccess)
  ${register ? "declare module 'claviger' { interface Register { access: typeof access } }" : ''}
  const user = { userId: 'u', projectId: 'invoicing' }
  const ada = iam.access.of({ userId: 'u', orgId: 'o', projectId: 'invoicing' })
  export const used = [access, live, context, user, ada]
`
const ASKING = [
  "iam.access.require({ ...user, permission: 'NAME' }, context)",
  "iam.access.check({ ...user, permission: 'NAME' }, context)",
  "iam.access.whoHas({ permission: 'NAME' }, context)",
  "live.can({ ...user, orgId: 'o', permission: 'NAME' })",
  "live.check({ ...user, orgId: 'o', permission: 'NAME' })",
  "ada.require('NAME')",
  "ada.can('NAME', { consistency: 'eventual' })",
]
const asked = (name: string) => ASKING.map((line) => line.replace('NAME', name))
const ROLES = [
  "iam.access.require({ ...user, roleKey: 'approver' }, context)",
  "iam.access.whoHas({ roleKey: 'made-by-a-tenant' }, context)",
  "ada.can({ roleKey: 'made-by-a-tenant' })",
]

describe.each(EDITORS)('TypeScript %s', (_, open) => {
  const refusedOf = async (lines: readonly string[], register = true) => {
    const editor = await open()
    const head = HEAD(register)
    const first = head.split('\n').length
    const objections = await editor.objections(`${head}${lines.join('\n')}`)
    await editor.close()
    return objections.map(({ line, message }) => [lines[line - first] ?? `line ${line}`, message])
  }

  it('knows the permissions of a registered desired state, and those of claviger', async () => {
    const fine = ['invoice.approve', 'invoice.do999', 'user.grant.write'].flatMap(asked)
    expect(await refusedOf([...fine, ...ROLES])).toEqual([])
  })

  it('refuses a misspelt permission, and suggests the right one', async () => {
    const lines = asked('invoice.aprove')
    const refused = await refusedOf(lines)
    expect(refused.map(([line]) => line)).toEqual(lines)
    for (const [, message] of refused) expect(message).toContain('invoice.aprove')
    // Compilers suggest a name for a property, not for an argument, which editors complete.
    for (const [, message] of refused.slice(0, 5)) expect(message).toContain('invoice.approve')
  })

  it('takes any text without a registered desired state', async () => {
    expect(await refusedOf(asked('invoice.aprove'), false)).toEqual([])
  })
})
