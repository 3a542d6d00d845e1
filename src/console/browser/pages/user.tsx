import { useState } from 'preact/hooks'
import {
  accessService,
  historyService,
  membershipService,
  userGrantService,
} from '../../../transport/wire.js'
import type { Json } from '../api.js'
import { Button, Value } from '../display.js'
import { ReasonField } from '../form.js'
import { GiveButton } from '../give-dialog.js'
import { HistoryList, useHistory } from '../history.js'
import { List, useList } from '../list.js'
import { ProjectName } from '../names.js'
import { FailureNotice, More, Waiting } from '../notice.js'
import * as types from '../object-types.js'
import { nameOf, personOf, UserName } from '../people.js'
import { usePermission } from '../permissions.js'
import { type Query, useRows } from '../query.js'
import { type RoleSource, viaOf } from '../roles-field.js'
import { href, parameter } from '../router.js'
import type { ListSpec } from '../rows.js'
import { useSend } from '../send.js'
import { fieldName, say, texts } from '../texts.js'

/** A user: the roles that count, what was granted, what happened, and taking everything away. */
export const User = () => {
  const userId = parameter('userId')
  const list: ListSpec = {
    type: types.userGrant,
    operation: userGrantService.listUserGrants,
    parameters: { 'filter.user_id.equals': userId },
    columns: ['projectId', 'projectOrgId', 'roles', 'state'],
    filters: ['projectId', 'roleKey'],
    label: texts.rolesByProject,
  }
  const grants = useList(list)
  const roles = useRows<UserRole>(accessService.listRolesOfUser, { userId, pageSize: 100 })
  // Reads the groups again, which go with all roles.
  const [round, setRound] = useState(0)
  const mayWrite = usePermission(types.userGrant.permission)
  const mayReadHistory = usePermission('event.read')
  const maySeeGroups = usePermission('membership.read')
  const done = () => {
    grants.reload()
    roles.reload()
    setRound(round + 1)
  }
  const person = personOf(userId).value
  // A matrix is of a project of the organization.
  const own = grants.rows?.filter(
    ({ projectOrgId, details }) => projectOrgId === details.resourceOwner,
  )
  return (
    <article>
      <p class="kind">{texts.user}</p>
      <h1>
        {person?.picture && <img class="picture" src={person.picture} alt="" />}
        <UserName id={userId} isWhole />
      </h1>
      {person?.email && <p class="none">{person.email}</p>}
      <div class="actions start">
        {mayWrite && <GiveButton users={[{ id: userId, name: nameOf(userId) }]} done={done} />}
        {mayWrite && <RemoveAll userId={userId} roles={roles.rows} done={done} />}
        {mayWrite === false && (
          <p class="none">{say(texts.readOnly, { permission: types.userGrant.permission })}</p>
        )}
      </div>
      <HeldRoles query={roles} />
      <section>
        <h2>{texts.rolesByProject}</h2>
        <List list={list} query={grants} />
        <p class="links">
          {own?.map(({ projectId }) => (
            <a key={projectId} href={href('matrix', { projectId: String(projectId), userId })}>
              {texts.matrix}: <ProjectName id={String(projectId)} />
            </a>
          ))}
        </p>
      </section>
      {maySeeGroups && <Groups key={round} userId={userId} />}
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

const HELD = ['displayName', 'projectId', 'permissions', 'via', 'expiresAt']

type UserRole = Json & { readonly via?: RoleSource }

/** The roles of a user that count, with what they allow. */
const HeldRoles = ({ query }: { readonly query: Query<UserRole> }) => {
  const { rows } = query
  if (!rows) return <Waiting query={query} />
  return (
    <section>
      <h2>{texts.heldRoles}</h2>
      {rows.length === 0 && <p class="empty">{texts.noHeldRoles}</p>}
      {rows.length > 0 && (
        <section class="wide" tabIndex={0} aria-label={texts.heldRoles}>
          <table>
            <thead>
              <tr>
                {HELD.map((name) => (
                  <th key={name} scope="col">
                    {name === 'displayName' ? texts.role : fieldName(name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((role) => (
                <tr key={JSON.stringify(role)}>
                  {HELD.map((name) => (
                    <td key={name}>
                      {name === 'via' ? (
                        viaOf(role)
                      ) : (
                        <Value
                          of={role[name] || (name === 'displayName' ? role['roleKey'] : undefined)}
                          field={name}
                        />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <More query={query} />
    </section>
  )
}

interface RemoveAllProps {
  readonly userId: string
  /** The roles that count now. */
  readonly roles: readonly UserRole[] | undefined
  readonly done: () => void
}

/** Removes all roles of a user, after a dialog that names them. */
const RemoveAll = ({ userId, roles = [], done }: RemoveAllProps) => {
  const [isAsking, setAsking] = useState(false)
  const { send, failure, isBusy } = useSend()
  const [reason, setReason] = useState('')
  const removeAll = async (event: Event) => {
    event.preventDefault()
    if (!(await send(userGrantService.removeAllUserGrants, {}, { userId, reason }))) return
    setAsking(false)
    done()
  }
  return (
    <>
      <Button text={texts.removeAll} look="danger" onClick={() => setAsking(true)} />
      {isAsking && (
        <dialog
          ref={(dialog) => {
            if (dialog && !dialog.open) dialog.showModal()
          }}
          aria-labelledby="dialog-title"
          onClose={() => setAsking(false)}
        >
          <form onSubmit={removeAll}>
            <h2 id="dialog-title">
              <bdi>{say(texts.removeAllTitle, { user: nameOf(userId) })}</bdi>
            </h2>
            <p>{texts.removeAllAbout}</p>
            <ul>
              {roles.map(({ displayName, roleKey, projectId }) => (
                <li>
                  <bdi>{String(displayName || roleKey)}</bdi> ·{' '}
                  <ProjectName id={String(projectId)} />
                </li>
              ))}
            </ul>
            {failure && <FailureNotice failure={failure} />}
            <ReasonField reason={reason} change={setReason} />
            <div class="actions">
              <Button text={texts.cancel} onClick={() => setAsking(false)} />
              <button type="submit" class="primary danger" disabled={isBusy}>
                {texts.removeAll}
              </button>
            </div>
          </form>
        </dialog>
      )}
    </>
  )
}
