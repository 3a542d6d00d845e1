/**
 * `nameOf`, which gives the very text it gave last when asked for the same again: calls in a row are
 * often about one project, and a name that was looked up before is found faster.
 */
export const rememberingLast = <Name extends string>(
  nameOf: (orgId: string, projectId: string) => Name,
): ((orgId: string, projectId: string) => Name) => {
  let last = { orgId: '', projectId: '', name: nameOf('', '') }
  return (orgId, projectId) => {
    if (last.projectId !== projectId || last.orgId !== orgId)
      last = { orgId, projectId, name: nameOf(orgId, projectId) }
    return last.name
  }
}
