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
