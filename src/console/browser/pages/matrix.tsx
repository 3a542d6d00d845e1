import { useMemo, useState } from 'preact/hooks'
import { projectRoleService, userGrantService } from '../../../transport/wire.js'
import { pathOf, type StoredObject } from '../api.js'
import { Button, Until } from '../display.js'
import { GiveDialog, type ProjectOption } from '../give-dialog.js'
import { Waiting } from '../notice.js'
import { nameOf, UserName } from '../people.js'
import { usePermission } from '../permissions.js'
import { type Query, useQuery } from '../query.js'
import { href, parameter, setParameters } from '../router.js'
import { fieldName, texts } from '../texts.js'
import { UserPicker } from '../user-picker.js'
import { type AskedCell, CellPopover, type UserGrant } from './cell-popover.js'
import { ProjectChoice } from './project-choice.js'

/** Users by roles of a project: why a role counts or does not, and giving and taking it. */
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
  const path = pathOf(projectRoleService.listProjectRoles, { projectId, ...page })
  const roles = useQuery<StoredObject>(path, {
    pages: { items: 'projectRoles', cursor: 'page_token' },
  })
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
  const filter = {
    'filter.project_id.equals': projectId,
    'filter.project_org_id.equals': owner,
    ...(userId && { 'filter.user_id.equals': userId }),
    pageSize: 50,
    orderBy: 'user_id',
  }
  const grants = useQuery<UserGrant>(pathOf(userGrantService.listUserGrants, filter), {
    pages: { items: 'userGrants', cursor: 'page_token' },
  })
  const [asked, setAsked] = useState<AskedCell | undefined>()
  const [isGiving, setGiving] = useState(false)
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
  // One who has no role yet is shown too, to be asked about and to be given one.
  const missing = { userId, projectId, projectOrgId: owner, state: 'STATE_ACTIVE', roles: [] }
  const rows = grants.rows?.length === 0 && userId ? [missing] : grants.rows
  const project: ProjectOption = { id: projectId, projectId, name: projectId }
  return (
    <>
      <div class="bar">
        {mayGive && (
          <Button text={texts.giveRoles} look="primary" onClick={() => setGiving(true)} />
        )}
      </div>
      {isGiving && (
        <GiveDialog
          project={project}
          close={(isDone) => {
            setGiving(false)
            if (isDone) grants.reload()
          }}
        />
      )}
      {!rows && <Waiting query={grants} />}
      {rows?.length === 0 && <p class="empty">{texts.emptyMatrix}</p>}
      {rows && rows.length > 0 && (
        <>
          <p class="none">{texts.matrixHint}</p>
          <section class="wide matrix" tabIndex={0} aria-label={texts.matrix}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{fieldName('userId')}</th>
                  {columns.map(({ roleKey, name }) => (
                    <th key={roleKey} scope="col" title={roleKey}>
                      <bdi>{name}</bdi>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((grant) => (
                  <Row key={grant.userId} grant={grant} columns={columns} ask={setAsked} />
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
      {grants.hasMore && <Button text={texts.moreUsers} onClick={grants.more} />}{' '}
      {roles.hasMore && <Button text={texts.moreRoles} onClick={roles.more} />}
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
  readonly grant: UserGrant
  readonly columns: readonly Column[]
  readonly ask: (cell: AskedCell) => void
}

const Row = ({ grant, columns, ask }: RowProps) => {
  const { userId } = grant
  // Rows stay as they are while others are added below: a matrix may have thousands of cells.
  return useMemo(
    () => (
      <tr>
        <th scope="row">
          <a href={href('user', { userId })}>
            <UserName id={userId} />
          </a>
        </th>
        {columns.map((column) => (
          <td key={column.roleKey}>
            <Cell grant={grant} column={column} ask={ask} />
          </td>
        ))}
      </tr>
    ),
    [grant, columns],
  )
}

interface CellProps extends Pick<RowProps, 'grant' | 'ask'> {
  readonly column: Column
}

const Cell = ({ grant, column: { roleKey, name }, ask }: CellProps) => {
  const { kind, mark, label, expiresAt } = cellOf(grant, roleKey)
  const isOff = kind === 'off'
  return (
    <button
      type="button"
      class={`cell ${kind}`}
      onClick={({ currentTarget }) =>
        ask({ grant, roleKey, roleName: name, cell: currentTarget, expiresAt })
      }
    >
      <span aria-hidden="true">{mark} </span>
      <span class={isOff ? 'none' : 'hidden'}>
        {isOff ? label : `${nameOf(grant.userId)}, ${name}: ${label}`}
      </span>
      {expiresAt && kind === 'on' && (
        <small>
          <Until at={expiresAt} isShort />
        </small>
      )}
    </button>
  )
}

const cellOf = ({ roles, state }: UserGrant, roleKey: string) => {
  const held = roles.find((role) => role.roleKey === roleKey)
  if (!held) return { kind: 'no', mark: '–', label: texts.noRole, expiresAt: undefined }
  const { expiresAt } = held
  if (expiresAt && Date.parse(expiresAt) <= Date.now())
    return { kind: 'off', mark: '○', label: texts.expired, expiresAt }
  if (state === 'STATE_INACTIVE')
    return { kind: 'off', mark: '○', label: texts.inactive, expiresAt }
  return { kind: 'on', mark: '●', label: texts.counts, expiresAt }
}
