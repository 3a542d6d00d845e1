import { useEffect } from 'preact/hooks'
import { isOwn, type ProjectIds } from '../known.js'
import { FailureNotice } from '../notice.js'
import { type ProjectOption, useProjects } from '../project-picker.js'
import { parameter, setParameters } from '../router.js'
import { fieldName, texts } from '../texts.js'

/** The project that a page is about; undefined while none is chosen. */
export const chosenProject = (): ProjectIds | undefined => {
  const [projectId, projectOrgId] = [parameter('projectId'), parameter('projectOrgId')]
  return projectId
    ? { projectId, projectOrgId: isOwn({ projectOrgId }) ? undefined : projectOrgId }
    : undefined
}

/** Asks for one resource of the project, in the parameter `resource`. */
export const ResourceFilter = () => (
  <label>
    {fieldName('resource')}{' '}
    <input
      type="search"
      maxLength={200}
      value={parameter('resource')}
      onChange={({ currentTarget }) => setParameters({ resource: currentTarget.value.trim() })}
    />
  </label>
)

interface ProjectChoiceProps {
  /** Label of no choice. Absent: a single project is chosen automatically. */
  readonly none?: string
}

/** Chooses a project by its name, in the parameters `projectId` and `projectOrgId`. */
export const ProjectChoice = ({ none }: ProjectChoiceProps) => {
  const { projects, failure, readMore } = useProjects()
  const chosen = chosenProject()
  const choose = (project: ProjectOption | undefined) =>
    setParameters({
      projectId: project?.projectId,
      projectOrgId: project?.projectOrgId,
      resource: undefined,
    })
  useEffect(() => {
    readMore?.()
    const [only, ...others] = projects ?? []
    if (only && others.length === 0 && !readMore && !chosen && none === undefined) choose(only)
  }, [readMore, projects === undefined])
  if (failure) return <FailureNotice failure={failure} />
  if (projects?.length === 0) return <p class="empty">{texts.noProjects}</p>
  const isChosen = ({ projectId, projectOrgId }: ProjectOption) =>
    projectId === chosen?.projectId && projectOrgId === chosen.projectOrgId
  const at = projects?.findIndex(isChosen) ?? -1
  return (
    <label>
      {texts.project}{' '}
      <select
        value={at}
        onChange={({ currentTarget }) => choose(projects?.[Number(currentTarget.value)])}
      >
        <option value={-1}>{none ?? texts.none}</option>
        {projects?.map((project, index) => (
          <option key={project.id} value={index} selected={index === at}>
            {project.name}
          </option>
        ))}
      </select>
    </label>
  )
}
