// Identity and access management at the edge: a Durable Object for each tenant, and one for providers and domains.
import { callerOf } from './callers.ts'
import { domains } from './dns.ts'
import type { Environment, ObjectContext } from './environment.ts'
import { iamObject, OPERATOR } from './iam-object.ts'

/** Projects, roles and grants: of an owner and of the organizations that it grants projects to. */
export class Tenant {
  readonly fetch: (request: Request) => Promise<Response>

  constructor(context: ObjectContext, env: Environment) {
    this.fetch = iamObject(context, env, { prefix: '' })
  }
}

/** Providers and domains of all organizations. There is one: a domain belongs to one organization within an object. */
export class Directory {
  readonly fetch: (request: Request) => Promise<Response>

  constructor(context: ObjectContext, env: Environment) {
    this.fetch = iamObject(context, env, { prefix: '/directory', domains })
  }
}

/**
 * The tenant of an organization: what stands before the first dot of its id. So `acme.retail`, to which `acme` grants
 * projects, shares its object. Ids are for ever, and so is the object: choose a rule before the first event.
 */
const tenantOf = (orgId: string): string => orgId.split('.')[0] ?? orgId

export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/directory/'))
      return env.DIRECTORY.get(env.DIRECTORY.idFromName('directory')).fetch(request)
    // The object asks who calls as well: this leads to it, allows nothing there, and keeps strangers from making objects.
    const caller = await callerOf(request.headers, env)
    if (caller === undefined) return new Response(null, { status: 401 })
    const orgId = request.headers.get('x-service-orgid') || caller.orgId
    const isKnown = [caller.orgId, ...Object.keys(caller.permissionsIn ?? {})].includes(orgId)
    if (!isKnown && caller.orgId !== OPERATOR) return new Response(null, { status: 403 })
    return env.TENANTS.get(env.TENANTS.idFromName(tenantOf(orgId))).fetch(request)
  },
}
