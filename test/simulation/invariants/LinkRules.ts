/** Rule: a fixed link is paid once, with the amount that it asks for. */
import type { LinkPayment, StoredLink } from "../../../src/hosted/links/LinkStore.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import type { Records } from "./RecordRules.ts"

const isFree = ({ status }: Payment): boolean => ["failed", "canceled", "rejected"].includes(status)

export const linkProblems = (
  { history, items, payments }: Records,
  links: Iterable<StoredLink>,
  made: Iterable<LinkPayment>
): ReadonlyArray<string> => {
  const byId = new Map(payments.map((payment) => [payment.payment_id, payment]))
  const all = Array.from(made)
  return Array.from(links).flatMap((link) => {
    const through = all.filter(({ link_id }) => link_id === link.link_id)
    const of = through.flatMap(({ payment_id }) => byId.get(payment_id) ?? [])
    const problems: Array<string> = []
    if (of.length < through.length) problems.push("a link names a payment that does not exist")
    if (of.some(({ org_id }) => org_id !== link.org_id))
      problems.push("a link led to a payment of another organisation")
    if (new Set(through.map(({ submission }) => submission)).size < through.length)
      problems.push("a form that was sent twice made two payments")
    if (link.amount_type !== "fixed") return problems
    const ids = new Set<string>(of.map(({ payment_id }) => payment_id))
    const paid = history.filter(({ payment_id, to_status }) => to_status === "completed" && ids.has(payment_id))
    if (paid.length > 1) problems.push(`a link for one payment was paid ${paid.length} times`)
    if (of.filter((payment) => !isFree(payment)).length > 1)
      problems.push("a link for one payment has several that stand")
    // An operator may have accepted another amount.
    const decided = new Set<string>(
      items.flatMap(({ kind, payment_id }) => (kind === "resolution" ? [payment_id] : []))
    )
    const asIs = of.filter(({ payment_id }) => !decided.has(payment_id))
    if (asIs.some(({ target }) => target.minor !== link.amount?.minor || target.currency !== link.currency))
      problems.push("a link was paid with another amount than it asks for")
    return problems
  })
}
