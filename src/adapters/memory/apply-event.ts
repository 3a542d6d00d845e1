import type { Views, ViewType } from '../../ports/read-model.js'
import type { Change } from '../../projections/history-view.js'
import { identityProviderView } from '../../projections/identity-provider-view.js'
import { type KnownEvent, matchEvent } from '../../projections/known-event.js'
import { projectRoleView } from '../../projections/project-role-view.js'
import { projectView } from '../../projections/project-view.js'
import { organizationIn } from '../../projections/stream-name.js'
import { type Buckets, type Kept, rolesOf } from './rows.js'

/** Changes what is `kept` as `event` says. */
export const applyEvent = (kept: Kept, event: KnownEvent): void => {
  const orgId = organizationIn(event.stream)
  const past = { event, ...changeRow(kept, orgId, event) }
  listIn(kept.pastOfOrganizations, orgId).push(past)
  listIn(kept.pastOfObjects, event.stream).push(past)
}

const changeRow = ({ rows }: Kept, orgId: string, event: KnownEvent): Change =>
  matchEvent<Change>(event, {
    identity_provider: (event) => {
      const { idpId } = event.data
      const bucket = bucketIn(rows.identity_provider, orgId)
      return replace(bucket, idpId, identityProviderView(bucket.get(idpId), event))
    },
    project: (event) => {
      const { id } = event.data
      if (event.type === 'project.removed') rows.project_role.delete(rolesOf(orgId, id))
      const bucket = bucketIn(rows.project, orgId)
      return replace(bucket, id, projectView(bucket.get(id), event))
    },
    project_role: (event) => {
      const { projectId, roleKey } = event.data
      const bucket = bucketIn(rows.project_role, rolesOf(orgId, projectId))
      return replace(bucket, roleKey, projectRoleView(bucket.get(roleKey), event))
    },
  })

const bucketIn = <Row>(buckets: Buckets<Row>, name: string): Map<string, Row> => {
  const found = buckets.get(name)
  if (found !== undefined) return found
  const bucket = new Map<string, Row>()
  buckets.set(name, bucket)
  return bucket
}

const listIn = <Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] => {
  const found = lists.get(key)
  if (found !== undefined) return found
  const list: Item[] = []
  lists.set(key, list)
  return list
}

const replace = <Row extends Views[ViewType]>(
  bucket: Map<string, Row>,
  key: string,
  after: Row | undefined,
): Change => {
  const before = bucket.get(key)
  if (after === undefined) bucket.delete(key)
  else bucket.set(key, after)
  return { before, after }
}
