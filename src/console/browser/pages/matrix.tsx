import { useEffect, useMemo, useState } from 'preact/hooks'
import {
  accessService,
  projectRoleService,
  roleMappingService,
  userGrantService,
} from '../../../transport/wire.js'
import type { Failure, StoredObject } from '../api.js'
import { readAll } from '../csv.js'
import { dayOf } from '../display.js'
import { GiveButton } from '../give-dialog.js'
import { FailureNotice, More, Waiting } from '../notice.js'
import { nameOf, UserName } from '../people.js'
import { usePermission } from '../permissions.js'
import type { ProjectOption } from '../project-picker.js'
import { type Query, useRows } from '../query.js'
import { type RoleSource, viaOf } from '../roles-field.js'
import { href, parameter, setParameters } from '../router.js'
import { Gap, useDrawn } from '../rows.js'
import { fieldName, say, texts } from '../texts.js'
import { UserPicker } from '../user-picker.js'
import { type AskedCell, CellPopover, type UserGrant } from './cell-popover.js'
import { ProjectChoice } from './project-choice.js'

/** A matrix of users and roles of a project: why a role counts or does not, and giving and revoking it. */
export const Matrix = () => {
  const projectId = parameter('projectId')
  const userId = parameter('userId')
  return (
    <article>
      <h1>{texts.matrix}</h1>
      <div class="bar">
        <ProjectChoice />
        {projectId && (
          <UserPicker
            label={texts.user}
            chosen={userId ? [{ id: userId, name: nameOf(userId) }] : []}
            change={([option]) => setParameters({ userId: option?.id })}
          />
        )}
      </div>
      {projectId ? (
        <MatrixOf key={projectId} projectId={projectId} />
      ) : (
        <p class="empty">{texts.chooseProject}</p>
      )}
    </article>
  )
}

const MatrixOf = ({ projectId }: { readonly projectId: string }) => {
  const page = { pageSize: 50, orderBy: 'display_name' }
  const roles = useRows(projectRoleService.listProjectRoles, { projectId, ...page })
  if (!roles.rows) return <Waiting query={roles} />
  const owner = roles.rows[0]?.details.resourceOwner
  if (!owner) return <p class="empty">{texts.emptyRoles}</p>
  return <Users projectId={projectId} owner={owner} roles={roles} />
}

interface Column {
  readonly roleKey: string
  readonly name: string
}

interface UsersProps {
  readonly projectId: string
  /** The organization of the project. Another one may have a project of the same id. */
  readonly owner: string
  readonly roles: Query<StoredObject>
}

const Users = ({ projectId, owner, roles }: UsersProps) => {
  const userId = parameter('userId')
  const grants = useRows<UserGrant>(userGrantService.listUserGrants, {
    'filter.project_id.equals': projectId,
    'filter.project_org_id.equals': owner,
    'filter.user_id.equals': userId,
    pageSize: 50,
    orderBy: 'user_id',
  })
  const [asked, setAsked] = useState<AskedCell | undefined>()
  const mayGive = usePermission('user.grant.write')
  const columns = useMemo(
    () =>
      roles.rows?.map(
        ({ roleKey, displayName }): Column => ({
          roleKey: String(roleKey),
          name: String(displayName || roleKey),
        }),
      ) ?? [],
    [roles.rows],
  )
  // A user without a role is shown too, to check and to give roles.
  const missing = { userId, projectId, projectOrgId: owner, state: 'STATE_ACTIVE', roles: [] }
  const { mapped, failure } = useMappedRoles(projectId, owner)
  const granted = grants.rows?.length === 0 && userId ? [missing] : grants.rows
  // Users who have roles by groups alone follow the last page of the others.
  const others = grants.hasMore
    ? []
    : [...mapped.keys()].filter((id) => !granted?.some((grant) => grant.userId === id))
  const rows = granted && [...granted, ...others.map((id) => ({ ...missing, userId: id }))]
  const { onScroll, isWindow, first, end } = useDrawn(rows?.length ?? 0, 40)
  const project: ProjectOption = { id: projectId, projectId, name: projectId }
  return (
    <>
      <div class="actions start">
        {mayGive && <GiveButton project={project} done={grants.reload} />}
      </div>
      {failure && <FailureNotice failure={failure} />}
      {!rows && <Waiting query={grants} />}
      {rows?.length === 0 && <p class="empty">{texts.emptyMatrix}</p>}
      {rows && rows.length > 0 && (
        <>
          <p class="none">{texts.matrixHint}</p>
          <section
            class={isWindow ? 'window matrix' : 'wide matrix'}
            tabIndex={0}
            aria-label={texts.matrix}
            onScroll={onScroll}
          >
            <table aria-rowcount={rows.length + 1}>
              <thead>
                <tr aria-rowindex={1}>
                  <th scope="col">{fieldName('userId')}</th>
                  {columns.map(({ roleKey, name }) => (
                    <th key={roleKey} scope="col" title={roleKey}>
                      <bdi>{name}</bdi>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                <Gap rows={first} />
                {rows.slice(first, end).map((grant, index) => (
                  <Row
                    key={grant.userId}
                    index={first + index + 2}
                    grant={grant}
                    mapped={mapped.get(grant.userId)}
                    columns={columns}
                    ask={setAsked}
                  />
                ))}
                <Gap rows={rows.length - end} />
              </tbody>
            </table>
          </section>
        </>
      )}
      <More query={grants} text={texts.moreUsers} /> <More query={roles} text={texts.moreRoles} />
      {asked && (
        <CellPopover
          key={`${asked.grant.userId}\n${asked.roleKey}`}
          asked={asked}
          close={() => setAsked(undefined)}
          done={grants.reload}
        />
      )}
    </>
  )
}

interface RowProps {
  /** Place in the table, whose head is the first. */
  readonly index: number
  readonly grant: UserGrant
  /** The roles that groups give the user. */
  readonly mapped: MappedRoles | undefined
  readonly columns: readonly Column[]
  readonly ask: (cell: AskedCell) => void
}

const Row = ({ index, grant, mapped, columns, ask }: RowProps) => {
  const { userId, state } = grant
  const user = nameOf(userId)
  // Rows stay as they are while others are added below: a matrix may have thousands of cells.
  return useMemo(() => {
    const held = new Map(grant.roles.map((role) => [role.roleKey, role]))
    return (
      <tr aria-rowindex={index}>
        <th scope="row">
          <a href={href('user', { userId })}>
            <UserName id={userId} />
          </a>
        </th>
        {columns.map(({ roleKey, name }) => {
          const { kind, shown, label, expiresAt, via } = cellOf(
            held.get(roleKey),
            state,
            mapped?.get(roleKey),
          )
          const until = expiresAt && kind === 'on' && say(texts.until, { time: dayOf(expiresAt) })
          return (
            <td key={roleKey}>
              <button
                type="button"
                class={`cell ${kind}`}
                aria-label={[`${user}, ${name}: ${label}`, ...(until ? [until] : [])].join(', ')}
                onClick={({ currentTarget }) =>
                  ask({ grant, roleKey, roleName: name, cell: currentTarget, expiresAt, via })
                }
              >
                {shown}
                {until && <small>{until}</small>}
                {via && (
                  <small>
                    <bdi>{viaOf({ via })}</bdi>
                  </small>
                )}
              </button>
            </td>
          )
        })}
      </tr>
    )
  }, [index, grant, mapped, columns, user])
}

/** The content of a cell. A role from a group counts, even if the direct grant does not. */
const cellOf = (
  held: UserGrant['roles'][number] | undefined,
  state: string,
  via: RoleSource | undefined,
) => {
  const expiresAt = held?.expiresAt
  if (via) {
    const label = `${texts.counts}, ${viaOf({ via })}`
    return { kind: 'on', shown: '●', label, expiresAt: undefined, via }
  }
  if (!held) return { kind: 'no', shown: texts.none, label: texts.noRole, expiresAt }
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()
  const label = isOver ? texts.expired : state === 'STATE_INACTIVE' ? texts.inactive : texts.counts
  return label === texts.counts
    ? { kind: 'on', shown: '●', label, expiresAt }
    : { kind: 'off', shown: `○ ${label}`, label, expiresAt }
}

/** The group that gives a role, by the key of the role. */
type MappedRoles = ReadonlyMap<string, RoleSource>

interface MappedHolder {
  readonly userId: string
  readonly orgId: string
  readonly roleKey: string
  readonly via?: RoleSource
}

/** The roles of a project that groups give, by user. They are read only where a group gives roles of the project. */
const useMappedRoles = (projectId: string, owner: string) => {
  const [mapped, setMapped] = useState<ReadonlyMap<string, MappedRoles>>(new Map())
  const [failure, setFailure] = useState<Failure | undefined>()
  const mayRead = usePermission('role_mapping.read')
  const userId = parameter('userId')
  const filter = { 'filter.project_id.equals': projectId, pageSize: 1 }
  const mappings = useRows(roleMappingService.listRoleMappings, mayRead ? filter : undefined)
  const isMapped = (mappings.rows?.length ?? 0) > 0
  useEffect(() => {
    if (!isMapped) return
    void readAll<MappedHolder>(accessService.listRoleHolders, { projectId, userId }).then((all) => {
      setFailure('failure' in all ? all.failure : undefined)
      const byUser = new Map<string, Map<string, RoleSource>>()
      for (const { userId: id, orgId, roleKey, via } of 'rows' in all ? all.rows : []) {
        if (!via || orgId !== owner) continue
        byUser.set(id, (byUser.get(id) ?? new Map()).set(roleKey, via))
      }
      setMapped(byUser)
    })
  }, [isMapped, userId])
  return { mapped, failure: mappings.failure ?? failure }
}
