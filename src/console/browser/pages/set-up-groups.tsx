import { useState } from 'preact/hooks'
import { projectGrantService, projectService, roleMappingService } from '../../../transport/wire.js'
import type { StoredObject } from '../api.js'
import { TextField } from '../form.js'
import { FailureNotice, Waiting } from '../notice.js'
import { useRows } from '../query.js'
import { type ProjectIds, RolesField } from '../roles-field.js'
import { useSend } from '../send.js'
import { fieldName, Say, say, texts } from '../texts.js'
import type { RoleChoice } from '../write.js'

interface Choice extends ProjectIds {
  readonly name: string
}

/** The projects whose roles the organization can give: its own, and those that others have granted it. */
const useProjects = (): readonly Choice[] | undefined => {
  const own = useRows(projectService.listProjects, { pageSize: 1000 })
  const received = useRows(projectGrantService.listReceivedProjectGrants, { pageSize: 1000 })
  if (!own.rows && !received.rows) return undefined
  return [
    ...(own.rows ?? []).map(
      ({ id, name }): Choice => ({ projectId: String(id), name: String(name) }),
    ),
    ...(received.rows ?? []).map(
      ({ projectId, projectOrgId }): Choice => ({
        projectId: String(projectId),
        projectOrgId,
        name: say(texts.projectOwner, { name: String(projectId), org: String(projectOrgId) }),
      }),
    ),
  ]
}

const isSame = (one: ProjectIds, other: StoredObject | Choice): boolean =>
  one.projectId === other['projectId'] &&
  (one.projectOrgId === undefined || one.projectOrgId === other['projectOrgId'])

/** Gives the members of groups roles. */
export const GroupsStep = ({ idpId }: { readonly idpId: string }) => {
  const projects = useProjects()
  const mappings = useRows(roleMappingService.listRoleMappings, {
    'filter.idp_id.equals': idpId,
    pageSize: 1000,
  })
  const { send, failure, isBusy } = useSend()
  const remove = async ({ group, projectId, projectOrgId }: StoredObject) => {
    const ids = { idpId, group, projectId, projectOrgId }
    if (await send(roleMappingService.removeRoleMapping, ids)) mappings.reload()
  }
  if (!projects || !mappings.rows) return <Waiting query={mappings} />
  return (
    <>
      <p>{texts.setUp.groupsAbout}</p>
      {mappings.rows.length > 0 && (
        <ul>
          {mappings.rows.map((each) => {
            const project = projects.find((known) => isSame(known, each))
            return (
              <li key={JSON.stringify([each['group'], each['projectId'], each['projectOrgId']])}>
                <Say
                  text={texts.setUp.mapped}
                  group={<bdi>{String(each['group'])}</bdi>}
                  roles={<bdi>{String(each['roleKeys'])}</bdi>}
                  project={<bdi>{project?.name ?? String(each['projectId'])}</bdi>}
                />{' '}
                <button type="button" disabled={isBusy} onClick={() => remove(each)}>
                  {texts.remove}
                </button>
              </li>
            )
          })}
        </ul>
      )}
      {failure && <FailureNotice failure={failure} />}
      <NewMapping idpId={idpId} projects={projects} done={mappings.reload} />
    </>
  )
}

interface NewMappingProps {
  readonly idpId: string
  readonly projects: readonly Choice[]
  readonly done: () => void
}

const NewMapping = ({ idpId, projects, done }: NewMappingProps) => {
  const { send, failure, isBusy } = useSend()
  const [group, setGroup] = useState('')
  const [at, setAt] = useState(0)
  const [roles, setRoles] = useState<readonly RoleChoice[]>([])
  const project = projects[at]
  if (!project) return <p class="empty">{texts.noProjects}</p>
  const map = async (event: Event) => {
    event.preventDefault()
    const { name: _, ...ids } = project
    const mapping = { idpId, group, ...ids, roleKeys: roles.map(({ roleKey }) => roleKey) }
    if (!(await send(roleMappingService.addRoleMapping, {}, mapping))) return
    setGroup('')
    setRoles([])
    done()
  }
  return (
    <form onSubmit={map}>
      <TextField
        label={fieldName('group')}
        hint={texts.setUp.groupHint}
        value={group}
        change={setGroup}
      />
      {projects.length > 1 && (
        <div class="field">
          <label>
            {texts.project}{' '}
            <select
              value={at}
              onChange={({ currentTarget }) => {
                setAt(Number(currentTarget.value))
                setRoles([])
              }}
            >
              {projects.map(({ name }, index) => (
                <option key={index} value={index} selected={index === at}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      <RolesField key={at} label={texts.roles} project={project} chosen={roles} change={setRoles} />
      {failure && <FailureNotice failure={failure} />}
      <button type="submit" disabled={isBusy || roles.length === 0}>
        {texts.setUp.mapGroup}
      </button>
    </form>
  )
}
