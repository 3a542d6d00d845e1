import { useState } from 'preact/hooks'
import {
  accessService,
  historyService,
  membershipService,
  userGrantService,
} from '../../../transport/wire.js'
import type { Json, StoredObject } from '../api.js'
import { CopyButton, Opener } from '../button.js'
import { readAll } from '../csv.js'
import { Dialog } from '../dialog.js'
import { Value } from '../display.js'
import { announce, ReasonField } from '../form.js'
import { GrantButton } from '../grant-dialog.js'
import { type RoleOfUser, type UserWithRoles, viaOf } from '../held.js'
import { HistoryList, useHistory } from '../history.js'
import { nameOf, personOf } from '../known.js'
import { List, useList } from '../list.js'
import { UserName } from '../names.js'
import { FailureNotice, More, Waiting } from '../notice.js'
import * as types from '../object-types.js'
import { usePermission } from '../permissions.js'
import { type Query, useRows } from '../query.js'
import { href, parameter, useTitle } from '../router.js'
import { type ListSpec, Table } from '../rows.js'
import { settings } from '../settings.js'
import { fieldName, say, texts } from '../texts.js'
import { givenAgain } from '../undo.js'
import { useWrite } from '../write.js'
import { CellPopover, type OpenCell } from './cell-popover.js'

/** A user: the roles that count, what was granted, what happened, and taking everything away. */
export const User = () => {
  const userId = parameter('userId')
  const list: ListSpec = {
    type: types.userGrant,
    operation: userGrantService.listUserGrants,
    parameters: { 'filter.user_id.equals': userId },
    columns: ['projectId', 'roles', 'state', 'changeDate'],
    filters: ['projectId', 'roleKey'],
    label: texts.rolesByProject,
  }
  const grants = useList(list)
  const roles = useRows<RoleOfUser>(accessService.listRolesOfUser, { userId, pageSize: 100 })
  const mayWrite = usePermission(types.userGrant.permission)
  const mayReadHistory = usePermission('event.read')
  const maySeeGroups = usePermission('membership.read')
  const person = personOf(userId)
  useTitle(nameOf(userId))
  // Nobody whom the host does not know, and who never had a role here.
  const hasNothing = grants.isEmpty && roles.rows?.length === 0
  const isUnknown = settings.hasUsers && !person && hasNothing
  return (
    <article>
      <p class="kind">{texts.user}</p>
      <h1>
        {person?.picture && <img class="picture" src={person.picture} alt="" />}
        <UserName id={userId} />
      </h1>
      <p class="none">
        {person?.email && [<bdi>{person.email}</bdi>, ' · ']}
        {texts.userId}: <code>{userId}</code> <CopyButton text={userId} />
      </p>
      {isUnknown && <p class="notice">{texts.unknownUserPage}</p>}
      <div class="actions start">
        {mayWrite && <GrantButton users={[userId]} />}
        {mayWrite && !hasNothing && <RemoveAll userId={userId} roles={roles.rows} />}
        {mayWrite === false && (
          <p class="none">{say(texts.readOnly, { permission: types.userGrant.permission })}</p>
        )}
      </div>
      <HeldRoles userId={userId} query={roles} />
      <section>
        <h2>{texts.rolesByProject}</h2>
        <List list={list} query={grants} />
        <p class="links">
          {grants.rows?.map((grant) => {
            const { projectId, projectOrgId, resource } = grant
            const to = href('matrix', { projectId, projectOrgId, resource, userId })
            return (
              <a key={to} href={to}>
                {texts.matrix}: <Value of={projectId} field="projectId" row={grant} />
              </a>
            )
          })}
        </p>
      </section>
      {maySeeGroups && <Groups userId={userId} />}
      {mayReadHistory && <UserHistory userId={userId} />}
    </article>
  )
}

/** The groups that providers have reported of a user, if any. */
const Groups = ({ userId }: { readonly userId: string }) => {
  const list: ListSpec = {
    type: types.membership,
    operation: membershipService.listMemberships,
    parameters: { 'filter.user_id.equals': userId },
    columns: ['idpId', 'groups', 'changeDate'],
    filters: ['idpId'],
    label: texts.memberships,
    prefix: 'groups.',
  }
  const query = useList(list)
  if (query.rows?.length === 0) return null
  return (
    <section>
      <h2>{texts.memberships}</h2>
      <List list={list} query={query} />
    </section>
  )
}

const UserHistory = ({ userId }: { readonly userId: string }) => {
  const history = useHistory(historyService.listHistory, { filter: { user: userId }, isLive: true })
  return (
    <section>
      <h2>{texts.history}</h2>
      <HistoryList history={history} hasObjects />
    </section>
  )
}

const HELD = ['displayName', 'projectId', 'permissions', 'via', 'from', 'expiresAt'] as const

const nameIn = ({ displayName, roleKey }: RoleOfUser): string => displayName || roleKey

const scopeOf = ({ projectId, projectOrgId, resource }: RoleOfUser): Json => ({
  ...{ projectId, projectOrgId, resource },
})

const keyOf = ({ projectOrgId, projectId, roleKey, resource, via }: RoleOfUser): string =>
  JSON.stringify([projectOrgId, projectId, roleKey, resource, via?.idpId, via?.group])

interface HeldRolesProps {
  readonly userId: string
  readonly query: Query<RoleOfUser>
}

/** The roles of a user that count: what they allow, since when, and on request why. */
const HeldRoles = ({ userId, query }: HeldRolesProps) => {
  const { rows } = query
  const [openCell, setOpenCell] = useState<OpenCell | undefined>()
  const [user] = useRows<UserWithRoles>(accessService.listUsers, { user_ids: userId }).rows ?? []
  const begins = new Map(user?.roles.map((role) => [keyOf(role), role.since]))
  if (!rows) return <Waiting query={query} />
  const why = (role: RoleOfUser, cell: HTMLElement) => {
    const { projectId, projectOrgId, roleKey, resource, expiresAt, via } = role
    const roles = via ? [] : [{ roleKey, ...(expiresAt && { expiresAt }) }]
    const grant = { userId, projectId, projectOrgId, state: 'STATE_ACTIVE', roles }
    setOpenCell({
      grant: { ...grant, ...(resource && { resource }) },
      ...{ roleKey, roleName: nameIn(role), expiresAt, cell, via },
    })
  }
  const cell = (role: RoleOfUser, name: (typeof HELD)[number]) => {
    const values = { ...role, displayName: nameIn(role), from: begins.get(keyOf(role)) }
    if (name !== 'via') return <Value of={values[name]} field={name} row={scopeOf(role)} />
    return (
      <>
        {viaOf(role)}{' '}
        <button
          type="button"
          class="copy"
          aria-label={say(texts.whyRole, { role: values.displayName })}
          onClick={({ currentTarget }) => why(role, currentTarget)}
        >
          {texts.why}
        </button>
      </>
    )
  }
  return (
    <section class="held">
      <h2>{texts.heldRoles}</h2>
      {rows.length === 0 && <p class="empty">{texts.noHeldRoles}</p>}
      {rows.length > 0 && (
        <Table
          label={texts.heldRoles}
          rows={rows}
          columns={HELD.map((name) => ({
            ...{ name, title: name === 'displayName' ? texts.role : fieldName(name) },
            cell: (role: RoleOfUser) => cell(role, name),
          }))}
        />
      )}
      <More query={query} />
      {openCell && (
        <CellPopover
          key={`${openCell.grant.projectId}\n${openCell.roleKey}`}
          openCell={openCell}
          close={() => setOpenCell(undefined)}
        />
      )}
    </section>
  )
}

interface RemoveAllProps {
  readonly userId: string
  /** The roles that count now. */
  readonly roles: readonly RoleOfUser[] | undefined
}

/** Removes all roles of a user, after a dialog that names them. */
const RemoveAll = ({ userId, roles = [] }: RemoveAllProps) => {
  const [reason, setReason] = useState('')
  const { send, failure, isBusy } = useWrite()
  const user = nameOf(userId)
  const removeAll = async (close: () => void) => {
    const { listUserGrants, removeAllUserGrants } = userGrantService
    const before = await readAll<StoredObject>(listUserGrants, { 'filter.user_id.equals': userId })
    if (!(await send(removeAllUserGrants, { userId, ...(reason && { reason }) }))) return
    const steps = 'rows' in before ? before.rows.flatMap((grant) => givenAgain(grant)) : []
    const left = roles.some(({ via }) => via) ? texts.undoneGroups : undefined
    announce(say(texts.removedAll, { user }), { steps, left })
    close()
  }
  return (
    <Opener
      text={texts.removeAll}
      look="danger"
      dialog={(close) => (
        <Dialog
          title={say(texts.removeAllTitle, { user })}
          close={close}
          submit={() => removeAll(close)}
          done={{ text: texts.removeAll, isOff: isBusy, isDangerous: true }}
        >
          <p>{texts.removeAllAbout}</p>
          <ul>
            {roles.map((role) => (
              <li>
                <bdi>{nameIn(role)}</bdi> ·{' '}
                <Value of={role.projectId} field="projectId" row={scopeOf(role)} />
              </li>
            ))}
          </ul>
          {failure && <FailureNotice failure={failure} />}
          <ReasonField reason={reason} change={setReason} />
        </Dialog>
      )}
    />
  )
}
