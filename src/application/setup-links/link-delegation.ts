import { err, ok } from 'neverthrow'
import { domains } from '../../domain/email-domain/aggregate.js'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import { roleMappings } from '../../domain/role-mapping/aggregate.js'
import { isOpen, type SetupLinkState, setupLinks } from '../../domain/setup-link/aggregate.js'
import { fieldOf, type LinkId } from '../../domain/values.js'
import type { NewEvent } from '../../ports/event-store.js'
import type { Caller } from '../../ports/host.js'
import { permissionsFromCaller } from '../method/input.js'
import { conditionsOf } from '../reading/list.js'
import { allObjects } from '../reading/query.js'
import { type AnyStreamState, change, isOf, type StreamChange } from '../recording/stream-state.js'
import type { Delegation, Streams } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { fromPort } from '../waiting.js'

type OpenLink = Exclude<SetupLinkState, { readonly status: 'absent' }>

/**
 * What the caller of a link may do: what its permissions say, while the link is open. It changes only what the link
 * has added or names, and never a provider that is active or that a domain is set to. A provider that it adds is a
 * draft: inactive, with the id of the link.
 */
export const linkDelegation = (
  runtime: Runtime,
  { caller, linkId }: { readonly caller: Caller; readonly linkId: LinkId },
): Delegation => {
  const { orgId } = caller
  const isOpenNow = (state: SetupLinkState): state is OpenLink =>
    isOpen(state, runtime.now().toISOString())
  return {
    authorize: async (question) => {
      if (!permissionsFromCaller(question)) return false
      const { state } = await runtime.states.readLatest(setupLinks, orgId, { linkId })
      return isOpenNow(state)
    },
    limit: async (streams, changes) => {
      const { state: link } = await streams.read(setupLinks, { linkId })
      for (const { before, events } of changes)
        for (const event of events)
          if (
            !isOpenNow(link) ||
            !(await mayWrite({ runtime, caller, linkId, link, streams, before }, event))
          )
            return err({ kind: 'PermissionDenied', permission: permissionFor(event), orgId })
      return ok(changes.map(asDraft))
    },
  }
}

/** An open link whose caller changes the object of a stream. */
interface LinkWrite {
  readonly runtime: Runtime
  readonly caller: Caller
  readonly linkId: LinkId
  readonly link: OpenLink
  readonly streams: Streams
  readonly before: AnyStreamState
}

/** The events that a link may record. */
const mayWrite = async (write: LinkWrite, { type, data }: NewEvent): Promise<boolean> => {
  const { link } = write
  const isOfProvider = fieldOf(data, 'idpId') === link.idpId
  switch (type) {
    case 'identity_provider.oidc_added':
      return isOfProvider
    case 'identity_provider.updated':
    case 'identity_provider.oidc_config_updated':
      return isOfProvider && isDraft(write)
    case 'identity_provider.reactivated':
      return isOfProvider && hasPassed(write) && isDraft(write)
    case 'domain.added':
      return true
    case 'domain.verified':
      return isOwnDomain(write, data)
    case 'domain.provider_set':
      return (
        isOfProvider &&
        !hasProvider(write) &&
        (await isSwitchedOn(write)) &&
        isOwnDomain(write, data)
      )
    case 'domain.removed':
      return !hasProvider(write) && isAdded(write)
    // They come with the event of the domain itself.
    case 'verified_domain.claimed':
    case 'verified_domain.released':
      return true
    case 'role_mapping.added':
      return isOfProvider
    case 'role_mapping.updated':
    case 'role_mapping.removed':
      return isOfProvider && isAdded(write)
    default:
      return false
  }
}

/** Whether the provider may be set up: it is inactive, no domain is set to it, and the link has added or names it. */
const isDraft = async (write: LinkWrite): Promise<boolean> => {
  const { runtime, linkId, link, streams, before } = write
  if (before.state.status !== 'inactive') return false
  if (link.idpId === linkId && !(await isAdded(write))) return false
  const conditions = conditionsOf({ idpId: link.idpId })
  const wanted = { type: 'domain', orgId: streams.orgId, conditions } as const
  const set = allObjects(runtime, { signal: undefined }, wanted)
  for await (const _ of set) return false
  return true
}

/** Whether the provider as it is has passed its test and a sign-in. */
const hasPassed = ({ link: { passed }, before }: LinkWrite): boolean =>
  [passed.test, passed.sign_in].every((sequence) => sequence === String(before.changed))

const isOwnDomain = async (write: LinkWrite, data: unknown): Promise<boolean> =>
  fieldOf(data, 'domain') === write.link.domain || isAdded(write)

const hasProvider = ({ before }: LinkWrite): boolean =>
  isOf(before, domains) && before.state.status !== 'absent' && before.state.idpId !== undefined

const isSwitchedOn = async ({ streams, link }: LinkWrite): Promise<boolean> =>
  (await streams.read(identityProviders, { idpId: link.idpId })).state.status === 'active'

/** Whether the link has added the object. */
const isAdded = async ({ runtime, caller, before }: LinkWrite): Promise<boolean> => {
  const events = await fromPort(() => runtime.store.readStream(before.name))
  const actor = events.find(({ position }) => position === before.created)?.metadata.actor
  return actor?.userId === caller.userId && actor.orgId === caller.orgId
}

/** A provider that a link adds is inactive until the link switches it on. */
const asDraft = (planned: StreamChange): StreamChange => {
  const { before, events } = planned
  if (!isOf(before, identityProviders)) return planned
  const known = events.filter((event) => identityProviders.reads(event))
  const [added] = known
  if (added?.type !== 'identity_provider.oidc_added') return planned
  const { idpId } = added.data
  return change(before, [...known, { type: 'identity_provider.deactivated', data: { idpId } }])
}

/** The permission that a refused event needs. */
const permissionFor = ({ type }: NewEvent) => {
  const owner = [identityProviders, domains, roleMappings].find((each) =>
    type.startsWith(`${each.type}.`),
  )
  return (owner ?? setupLinks).permissions.write
}
