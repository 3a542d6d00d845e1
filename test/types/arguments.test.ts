import { describe, expect, it } from 'vitest'
import { objectionsTo } from './program.js'

const mapping = (claims: string): string => `
  import { mapExternalUser } from 'claviger'
  const UNSPECIFIED = 'OIDC_MAPPING_FIELD_UNSPECIFIED'
  const idp = { usernameMapping: UNSPECIFIED, displayNameMapping: UNSPECIFIED } as const
  interface Claims { sub: string; email?: string; email_verified?: boolean; hd?: string }
  interface OtherClaims { subject: string }
  declare const claims: Claims
  declare const otherClaims: OtherClaims
  declare const parsed: Record<string, unknown>
  mapExternalUser(idp, ${claims})`

describe('mapExternalUser', () => {
  it.each(['claims', 'parsed', '{ sub: "1", hd: "example.com" }'])('takes claims: %s', (claims) => {
    expect(objectionsTo(mapping(claims))).toEqual([])
  })

  it.each(['otherClaims', '[]', '"text"', 'undefined'])('takes no claims: %s', (claims) => {
    expect(objectionsTo(mapping(claims))).toEqual([expect.stringMatching(/not assignable to/)])
  })
})

describe('A state that may be undefined', () => {
  const source = (call: string) => `
    import * as claviger from 'claviger'
    declare const state: 'active' | undefined
    export const user = { userOrgId: 'acme', userRoleKeys: [], grantedOrgIds: [] }
    export const project = {
      state,
      projectRoleCheck: false,
      hasProjectCheck: false,
      details: { resourceOwner: 'acme' },
    }
    ${call}`

  it('is one for checkLogin', () => {
    const call = 'claviger.checkLogin({ project, roleKeys: [] }, user)'
    expect(objectionsTo(source(call))).toEqual([])
  })

  it('is one for mayAutoRegister', () => {
    const call = 'claviger.mayAutoRegister({ autoRegister: true, state })'
    expect(objectionsTo(source(call))).toEqual([])
  })
})

describe('A flag that is known only at run time', () => {
  const source = (call: string) => `
    import type { Context, Iam } from 'claviger'
    export const add = (iam: Iam, context: Context, dryRun: boolean) => ${call}`
  const input = "{ name: 'Portal' }"

  it('tells which of the two calls of a write is made', () => {
    const call = `dryRun
      ? iam.projects.add(${input}, { ...context, dryRun })
      : iam.projects.add(${input}, context)`
    expect(objectionsTo(source(call))).toEqual([])
  })

  it('is not taken as it is, for what is answered depends on it', () => {
    const call = `iam.projects.add(${input}, { ...context, dryRun })`
    expect(objectionsTo(source(call))).toEqual([
      "Type 'boolean' is not assignable to type 'false'.",
    ])
  })
})
