import { err, ok, type Result } from 'neverthrow'
import type { Position } from '../ports/event-store.js'
import type { Listing, ListQuery, SortKey, Views, ViewType } from '../ports/read-model.js'
import { fieldNamed, type ViewFields, viewFields } from '../projections/view-fields.js'
import type { Session } from './context.js'
import { demandFed } from './demand-fed.js'
import { type IamError, invalid } from './errors.js'
import { fromPort } from './fault.js'
import {
  conditionsOf,
  ListIdentityProvidersInput,
  ListProjectRolesInput,
  ListProjectsInput,
  totalOrder,
} from './list-input.js'
import { type Read, read } from './method.js'
import { type ListWithoutPage, readPageToken, writePageToken } from './page-token.js'
import type { Runtime } from './runtime.js'
import { targetProjectOfRole } from './target.js'

/** A page of objects. */
export interface Page<Row> {
  /** In the order asked for. */
  readonly items: readonly Row[]
  /** Asks for the page after this one; absent on the last. */
  readonly nextPageToken?: string
  /** Objects that meet the filter, on all pages together. */
  readonly totalSize: number
  /** Position up to which the list is true. */
  readonly sequence: Position
}

/** Identity providers of an organization. */
export const listIdentityProviders = (
  runtime: Runtime,
): Read<ListIdentityProvidersInput, Page<Views['identity_provider']>> =>
  read(
    runtime,
    {
      method: 'identityProviders.list',
      permissions: ['identity_provider.read'],
      schema: ListIdentityProvidersInput,
    },
    (session, input) => list(runtime, session, { type: 'identity_provider', ...input }),
  )

/** Projects of an organization. */
export const listProjects = (runtime: Runtime): Read<ListProjectsInput, Page<Views['project']>> =>
  read(
    runtime,
    { method: 'projects.list', permissions: ['project.read'], schema: ListProjectsInput },
    (session, input) => list(runtime, session, { type: 'project', ...input }),
  )

/** Roles of a project that exists. */
export const listProjectRoles = (
  runtime: Runtime,
): Read<ListProjectRolesInput, Page<Views['project_role']>> =>
  read(
    runtime,
    {
      method: 'projectRoles.list',
      permissions: ['project.role.read'],
      schema: ListProjectRolesInput,
      target: targetProjectOfRole,
    },
    async (session, { projectId, ...input }) => {
      const object = { type: 'project' as const, id: projectId }
      for (let wasThere = false; ; wasThere = true) {
        const page = await list(runtime, session, { type: 'project_role', projectId, ...input })
        if (page.isErr()) return page
        const project = await fromPort(() =>
          runtime.readModel.get<'project'>(session.orgId, object),
        )
        if (!project) return err({ kind: 'NotFound', object })
        // Its id stays taken: one that was there before the rows were read and after, was there then.
        if (wasThere || project.details.sequence <= page.value.sequence) return page
      }
    },
  )

interface Wanted<Type extends ViewType> {
  readonly type: Type
  readonly projectId?: string
  readonly filter: Parameters<typeof conditionsOf>[0]
  readonly sort: readonly SortKey[]
  readonly pageSize: number
  readonly pageToken?: string | undefined
}

const list = async <Type extends ViewType>(
  runtime: Runtime,
  session: Session,
  { type, filter, sort, projectId, pageSize, pageToken }: Wanted<Type>,
): Promise<Result<Page<Views[Type]>, IamError>> => {
  const query = {
    type,
    orgId: session.orgId,
    conditions: conditionsOf(filter),
    sort: totalOrder(type, sort),
    ...(projectId !== undefined && { projectId }),
  }
  const after = pageToken === undefined ? [] : await readPageToken(query, pageToken)
  if (!after) return err(invalid('pageToken', 'is not of this organization, filter and order'))

  const paged: ListQuery<Type> = {
    ...query,
    limit: pageSize,
    ...(pageToken !== undefined && { after }),
  }
  const listing = await runtime.fresh.list(session, paged)
  if (listing.sequence === 0n) await demandFed(runtime, session)
  return ok(await pageOf(query, listing))
}

const pageOf = async <Type extends ViewType>(
  query: ListWithoutPage & { readonly type: Type },
  { items, hasMore, totalSize, sequence }: Listing<Views[Type]>,
): Promise<Page<Views[Type]>> => {
  const last = items.at(-1)
  if (!last || !hasMore) return { items, totalSize, sequence }
  const fields: ViewFields<Views[Type]> = viewFields[query.type]
  const place = query.sort.map(({ field }) => fieldNamed(fields, field).of(last))
  return { items, nextPageToken: await writePageToken(query, place), totalSize, sequence }
}
