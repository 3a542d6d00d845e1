// What users of generated clients write, once for each generator. Bundled and run by run.mjs.
import createFetchClient from 'openapi-fetch'
import { createClient } from './generated/hey-api/client'
import * as sdk from './generated/hey-api/sdk.gen'
import type { paths } from './generated/openapi'

const provider = {
  name: 'Google',
  clientId: 'c',
  clientSecret: 'hush',
  issuer: 'https://a.example',
}
const access = { projects: [{ id: 'shop', name: 'Shop' }] }
const user = { userOrgId: 'acme', userRoleKeys: [] }
const time = '2100-01-01T00:00:00Z'

/** The answers of each operation, in the same order for both generators. */
export const openapiFetch = async (baseUrl: string) => {
  const client = createFetchClient<paths>({ baseUrl })
  const of = { params: { path: { id: 'portal' } } }
  const body = { id: 'portal', name: 'Portal', projectRoleCheck: true }
  const planned = await client.POST('/v1/projects', { body: { ...body, validateOnly: true } })
  const added = await client.POST('/v1/projects', { body })
  const patched = await client.PATCH('/v1/projects/{id}', { ...of, body: { name: 'New' } })
  const history = await client.GET('/v1/projects/{id}/history', of)
  const state = await client.GET('/v1/projects/{id}/history/state', {
    params: { ...of.params, query: { time } },
  })
  const login = await client.POST('/v1/projects/{id}:checkLogin', { ...of, body: user })
  const plan = await client.POST('/v1/access:apply', { body: { ...access, validateOnly: true } })
  const applied = await client.POST('/v1/access:apply', { body: access })
  const idp = await client.POST('/v1/idps/oidc', { body: provider })
  return {
    planned: planned.data?.planned?.changed,
    added: added.data?.details?.sequence,
    patched: patched.data?.details?.sequence,
    history: history.data?.entries?.map(({ type }) => type),
    state: state.data?.project?.name,
    refused: [login.response.status, login.error?.code],
    plan: plan.data?.counts?.add,
    applied: applied.data?.counts?.add,
    idp: [typeof idp.data?.idpId, JSON.stringify(idp.data).includes('hush')],
  }
}

export const heyApi = async (baseUrl: string) => {
  const client = createClient({ baseUrl })
  const of = { client, path: { id: 'portal' } }
  const body = { id: 'portal', name: 'Portal', projectRoleCheck: true }
  const planned = await sdk.addProject({ client, body: { ...body, validateOnly: true } })
  const added = await sdk.addProject({ client, body })
  const patched = await sdk.patchProject({ ...of, body: { name: 'New' } })
  const history = await sdk.listProjectHistory(of)
  const state = await sdk.getProjectState({ ...of, query: { time } })
  const login = await sdk.checkLogin({ ...of, body: user })
  const plan = await sdk.applyAccess({ client, body: { ...access, validateOnly: true } })
  const applied = await sdk.applyAccess({ client, body: access })
  const idp = await sdk.addOidcIdentityProvider({ client, body: provider })
  return {
    planned: planned.data?.planned?.changed,
    added: added.data?.details?.sequence,
    patched: patched.data?.details?.sequence,
    history: history.data?.entries?.map(({ type }) => type),
    state: state.data?.project?.name,
    refused: [login.response?.status, login.error?.code],
    plan: plan.data?.counts?.add,
    applied: applied.data?.counts?.add,
    idp: [typeof idp.data?.idpId, JSON.stringify(idp.data).includes('hush')],
  }
}
