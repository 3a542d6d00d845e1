import { useState } from 'preact/hooks'
import { roleMappingService } from '../../../transport/wire.js'
import type { StoredObject } from '../api.js'
import { Button } from '../button.js'
import { Choice } from '../choice.js'
import { Joined, Value } from '../display.js'
import { TextField } from '../form.js'
import { ownOrganization, roleNameOf } from '../known.js'
import { projectIn } from '../names.js'
import { FailureNotice, More, Waiting } from '../notice.js'
import { type ProjectOption, useProjects } from '../project-picker.js'
import { useRows } from '../query.js'
import { RolesField } from '../roles-field.js'
import { fieldName, Say, texts } from '../texts.js'
import { type RoleChoice, useWrite } from '../write.js'

/** Gives the members of groups roles. */
export const GroupsStep = ({ idpId }: { readonly idpId: string }) => {
  const { projects, failure: unread } = useProjects()
  const mappings = useRows(roleMappingService.listRoleMappings, {
    'filter.idp_id.equals': idpId,
    pageSize: 1000,
  })
  const { send, failure, isBusy } = useWrite()
  const remove = async (mapping: StoredObject) => {
    if (await send(roleMappingService.removeRoleMapping, idsOf(mapping))) mappings.reload()
  }
  if (unread) return <FailureNotice failure={unread} />
  if (!projects || !mappings.rows) return <Waiting query={mappings} of="line" />
  return (
    <>
      <p>{texts.setUp.groupsAbout}</p>
      {mappings.rows.length > 0 && (
        <ul>
          {mappings.rows.map((each) => {
            const project = projectIn(each)
            const roles = ((each['roleKeys'] ?? []) as readonly string[]).map((key) => (
              <bdi>{project ? roleNameOf(project, key) : key}</bdi>
            ))
            return (
              <li key={JSON.stringify(idsOf(each))}>
                <Say
                  text={texts.setUp.mapped}
                  group={<bdi>{String(each['group'])}</bdi>}
                  roles={<Joined of={roles} />}
                  project={<Value of={each['projectId']} field="projectId" row={each} />}
                />{' '}
                <Button text={texts.remove} isOff={isBusy} onClick={() => remove(each)} />
              </li>
            )
          })}
        </ul>
      )}
      <More query={mappings} />
      {failure && <FailureNotice failure={failure} />}
      <NewMapping {...{ idpId, projects }} mapped={mappings.rows} done={mappings.reload} />
    </>
  )
}

const idsOf = ({ idpId, group, projectId, projectOrgId, resource }: StoredObject) => ({
  idpId,
  group,
  projectId,
  projectOrgId,
  resource,
})

interface NewMappingProps {
  readonly idpId: string
  readonly projects: readonly ProjectOption[]
  readonly mapped: readonly StoredObject[]
  readonly done: () => void
}

const NewMapping = ({ idpId, projects, mapped, done }: NewMappingProps) => {
  const { send, failure, isBusy } = useWrite()
  const [group, setGroup] = useState('')
  const [at, setAt] = useState(0)
  const [roles, setRoles] = useState<readonly RoleChoice[]>([])
  const project = projects[at]
  if (!project) return <p class="empty">{texts.noProjectsToMap}</p>
  const map = async (event: Event) => {
    event.preventDefault()
    const { projectId, projectOrgId } = project
    const owner = projectOrgId ?? ownOrganization()
    const isMapped = mapped.some(
      (each) =>
        each['group'] === group &&
        each['projectId'] === projectId &&
        each['projectOrgId'] === owner &&
        !each['resource'],
    )
    const { addRoleMapping, addRoleMappingRoles } = roleMappingService
    const roleKeys = roles.map(({ roleKey }) => roleKey)
    const mapping = { idpId, group, projectId, projectOrgId, roleKeys }
    if (!(await send(isMapped ? addRoleMappingRoles : addRoleMapping, mapping))) return
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
          <Choice
            text={texts.project}
            value={at}
            options={projects.map(({ name }, value) => ({ value, name }))}
            change={(index) => {
              setAt(Number(index))
              setRoles([])
            }}
          />
        </div>
      )}
      <RolesField key={at} label={texts.roles} project={project} chosen={roles} change={setRoles} />
      {failure && <FailureNotice failure={failure} />}
      <Button text={texts.setUp.mapGroup} isOff={isBusy || roles.length === 0} />
    </form>
  )
}
