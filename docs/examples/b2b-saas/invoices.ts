// Invoices. Each is stored in one transaction with the role of the user who approves it.
import { type Caller, orThrow } from 'claviger'
import { database } from './database.ts'
import { iam } from './iam.ts'

/** Stores an invoice and makes its approver one, both or neither. The caller needs `user.grant.write`. */
export const add = (caller: Caller, id: string, approver: string, total: number) => {
  const grant = { userId: approver, projectId: 'invoicing', roles: [{ roleKey: 'approver' }] }
  const values = [id, caller.orgId, approver, total]
  const inTransaction = database.insert('INSERT INTO invoice VALUES ($1, $2, $3, $4)', values)
  return orThrow(iam.userGrants.give(grant, { caller, inTransaction }))
}

/** The invoices that a user is to approve, while the user may. */
export const toApprove = ({ userId, orgId }: Caller) =>
  database.rows(
    `SELECT DISTINCT id, total FROM invoice JOIN ${database.holders} AS holder
       ON holder.org_id = invoice.org_id AND holder.user_id = invoice.approver
     WHERE invoice.org_id = $1 AND invoice.approver = $2
       AND project_id = 'invoicing' AND permission = 'invoice.approve' AND resource IS NULL`,
    [orgId, userId],
  )
