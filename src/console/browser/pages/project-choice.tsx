import { useEffect } from 'preact/hooks'
import { projectService } from '../../../transport/wire.js'
import { FailureNotice } from '../notice.js'
import { useRows } from '../query.js'
import { parameter, setParameters } from '../router.js'
import { texts } from '../texts.js'

interface ProjectChoiceProps {
  /** Label of no choice. Absent: a single project is chosen automatically. */
  readonly none?: string
}

/** Chooses a project by its name, in the parameter `projectId`. */
export const ProjectChoice = ({ none }: ProjectChoiceProps) => {
  const page = { pageSize: 1000, orderBy: 'name' }
  const { rows, failure, hasMore, more } = useRows(projectService.listProjects, page)
  const chosen = parameter('projectId')
  const choose = (projectId: string) => setParameters({ projectId })
  useEffect(() => {
    if (hasMore) more()
    const [only, ...others] = rows ?? []
    if (only && others.length === 0 && !hasMore && !chosen && none === undefined)
      choose(String(only['id']))
  }, [hasMore, rows])
  if (failure) return <FailureNotice failure={failure} />
  if (rows?.length === 0) return <p class="empty">{texts.noProjects}</p>
  return (
    <label>
      {texts.project}{' '}
      <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{none ?? texts.none}</option>
        {rows?.map(({ id, name }) => (
          <option key={id} value={String(id)} selected={id === chosen}>
            {String(name)}
          </option>
        ))}
      </select>
    </label>
  )
}
