import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { accessService, type WireMethod } from '../../../transport/wire.js'
import { call, type Json, type ObjectDetails, type Outcome, pathOf } from '../api.js'
import { Button } from '../button.js'
import { EndInput } from '../dates.js'
import { Time } from '../display.js'
import { GrantDialog } from '../grant-dialog.js'
import type { RoleSource } from '../held.js'
import { nameOf, organizationNameOf, ownOrganization, providerNameOf } from '../known.js'
import { projectTitleOf, UserName } from '../names.js'
import { FailureNotice } from '../notice.js'
import { usePermission } from '../permissions.js'
import { href } from '../router.js'
import { Say, say, texts } from '../texts.js'
import type { RoleChoice } from '../write.js'

/** The roles of a user in the project. Without details the user has none yet. */
export type UserGrant = {
  readonly userId: string
  readonly projectId: string
  readonly projectOrgId: string
  /** Absent or empty where the roles count in the whole project. */
  readonly resource?: string
  readonly state: string
  readonly roles: readonly { readonly roleKey: string; readonly expiresAt?: string }[]
  readonly protectedBy?: string
  readonly details?: ObjectDetails
}

/** A role of a user that was pressed in the matrix. */
export interface OpenCell {
  readonly grant: UserGrant
  readonly roleKey: string
  readonly roleName: string
  readonly expiresAt: string | undefined
  readonly cell: HTMLElement
  /** The group that the role comes from. */
  readonly via?: RoleSource | undefined
}

interface CellPopoverProps {
  readonly openCell: OpenCell
  readonly close: () => void
}

const GAP = 8

/** Opens next to a cell: why the role counts or does not, and giving, changing or revoking it. */
export const CellPopover = ({ openCell, close }: CellPopoverProps) => {
  const { grant, roleKey, roleName, cell } = openCell
  const { userId, projectId, projectOrgId, resource } = grant
  const box = useRef<HTMLDivElement>(null)
  const [outcome, setOutcome] = useState<Outcome<Explanation> | undefined>()
  const [write, setWrite] = useState<Started | undefined>()
  const mayReadHistory = usePermission('event.read') ?? false

  useLayoutEffect(() => {
    box.current?.showPopover()
    box.current?.focus()
  }, [])
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const beside = cell.getBoundingClientRect()
    const below = beside.bottom + GAP / 2
    const isBelow = below + current.offsetHeight < window.innerHeight
    const top = isBelow ? below : Math.max(GAP, beside.top - current.offsetHeight - GAP / 2)
    const left = Math.min(beside.left, window.innerWidth - current.offsetWidth - GAP)
    current.style.top = `${top + window.scrollY}px`
    current.style.left = `${Math.max(GAP, left) + window.scrollX}px`
  }, [outcome])
  useEffect(() => {
    void explain({ userId, projectId, projectOrgId, resource, roleKey }, mayReadHistory).then(
      setOutcome,
    )
  }, [])
  const closed = () => {
    setWrite(undefined)
    close()
    // The row may have been drawn again.
    const again = cell.isConnected
      ? cell
      : document.querySelector<HTMLElement>('.matrix [tabindex="0"], .held button')
    again?.focus()
  }
  const project = { projectId, projectOrgId, resource }
  if (write) return <GrantDialog {...{ ...write, project, users: [userId] }} close={closed} />
  return (
    <div
      ref={box}
      popover="auto"
      role="dialog"
      class="beside"
      tabIndex={-1}
      aria-labelledby="beside-title"
      onToggle={({ newState }) => {
        if (newState === 'closed') close()
      }}
    >
      <h2 id="beside-title">
        <UserName id={userId} /> · <bdi>{roleName}</bdi>
      </h2>
      <div role="status">
        {outcome ? <Why openCell={openCell} outcome={outcome} /> : texts.loading}
      </div>
      {openCell.via && (
        <p>
          {say(texts.viaGroupAbout, { group: openCell.via.group })}{' '}
          <a href={href('mapping', { ...openCell.via, ...project })}>{texts.mapping}</a>
        </p>
      )}
      <Actions openCell={openCell} start={setWrite} />
    </div>
  )
}

/** Whether a role counts, and the changes that led to it. */
interface Explanation {
  readonly allowed?: boolean
  readonly reasons?: readonly { readonly kind: string }[]
  /** Absent where the caller may not read history. */
  readonly because?: readonly Evidence[]
}

interface Evidence {
  readonly sequence: string
  readonly time: string
  readonly type: string
  readonly actor?: { readonly userId: string }
  readonly reason?: string
}

const explain = async (question: Json, mayReadHistory: boolean): Promise<Outcome<Explanation>> => {
  const ask = (method: WireMethod) =>
    call<Explanation>({ method: 'GET', path: pathOf(method, question) })
  const explained = mayReadHistory ? await ask(accessService.explainAccess) : undefined
  const isForbidden = explained && 'failure' in explained && explained.failure.status === 403
  return explained && !isForbidden ? explained : ask(accessService.checkAccess)
}

interface WhyProps {
  readonly openCell: OpenCell
  readonly outcome: Outcome<Explanation>
}

const Why = ({ openCell, outcome }: WhyProps) => {
  const { grant, roleName } = openCell
  if ('failure' in outcome) return <FailureNotice failure={outcome.failure} />
  const { allowed, reasons = [], because = [] } = outcome.body
  // The change of the user's own roles comes last.
  const last = because.at(-1)
  const before = because.slice(0, -1)
  const values = { user: nameOf(grant.userId), role: roleName }
  return (
    <>
      <p>
        <bdi>{say(allowed ? texts.allowed : texts.refused, values)}</bdi>
      </p>
      {reasons.length > 0 && (
        <ul>
          {reasons.map(({ kind }) => (
            <li key={kind}>{texts.reasons[kind] ?? kind}</li>
          ))}
        </ul>
      )}
      {last && <Because entry={last} openCell={openCell} />}
      {before.length > 0 && (
        <details>
          <summary>{texts.whyBecause}</summary>
          <ol>
            {before.map((entry) => (
              <li key={entry.sequence}>
                <Because entry={entry} openCell={openCell} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  )
}

interface BecauseProps {
  readonly entry: Evidence
  readonly openCell: OpenCell
}

/** A change that an answer rests on: what it was, who made it, when, and why. */
const Because = ({ entry: { type, time, actor, reason }, openCell }: BecauseProps) => (
  <p>
    <Say text={texts.types[type] ?? type} object={<bdi>{concernedBy(type, openCell)}</bdi>} />{' '}
    {actor ? (
      <Say text={texts.by} name={<UserName id={actor.userId} />} time={<Time at={time} />} />
    ) : (
      <Time at={time} />
    )}
    {reason && (
      <>
        <br />
        {texts.reason}: <bdi>{reason}</bdi>
      </>
    )}
  </p>
)

/** What the reader does to the role. */
interface Started {
  readonly way: 'give' | 'take'
  readonly roles: readonly RoleChoice[]
}

interface ActionsProps {
  readonly openCell: OpenCell
  readonly start: (write: Started) => void
}

/** Gives the role until a day, or revokes it; both with a preview. */
const Actions = ({ openCell, start }: ActionsProps) => {
  const { grant, roleKey, roleName, expiresAt = '' } = openCell
  const [until, setUntil] = useState(expiresAt)
  const isAllowed = usePermission('user.grant.write')
  if (!isAllowed) return null
  const { roles, protectedBy } = grant
  if (protectedBy) return <p class="none">{say(texts.declaredBy, { by: protectedBy })}</p>
  const isHeld = roles.some((role) => role.roleKey === roleKey)
  const give = () =>
    start({ way: 'give', roles: [{ roleKey, ...(until && { expiresAt: until }) }] })
  const take = () => start({ way: 'take', roles: [{ roleKey }] })
  return (
    <div class="actions start">
      <EndInput role={roleName} at={until} change={setUntil} />
      {(!isHeld || until !== expiresAt) && (
        <Button text={isHeld ? texts.changeUntil : texts.giveRole} look="primary" onClick={give} />
      )}
      {isHeld && <Button text={texts.takeRole} look="danger" onClick={take} />}
    </div>
  )
}

/** The name of the object of an event on which the role in a cell rests. */
const concernedBy = (type: string, { grant, roleName, via }: OpenCell): string => {
  const { userId, projectId, projectOrgId } = grant
  const [object = ''] = type.split('.')
  if (object === 'project') return projectTitleOf({ projectId, projectOrgId })
  if (object === 'project_role') return roleName
  if (object === 'project_grant') return organizationNameOf(ownOrganization())
  if (object === 'role_mapping') return via?.group ?? texts.none
  return object === 'identity_provider' ? providerNameOf(via?.idpId ?? '') : nameOf(userId)
}
