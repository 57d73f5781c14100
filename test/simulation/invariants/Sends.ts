/** What the records say of attempts, against what was sent and answered. */
import type { Orders } from "../providers/Orders.ts"
import type { Dossier } from "./Records.ts"

/** An attempt counts as refused only where its provider refused it, or never had it, or a person found that. */
export const refusalProblems = ({ attempts }: Dossier, orders: Orders): ReadonlyArray<string> =>
  attempts.flatMap(({ attempt_id, leg, outcome, provider }) =>
    outcome === "declined" && orders.mayStand(attempt_id)
      ? [`a ${leg} at ${provider} counts as refused, and was not`]
      : []
  )

/** By somebody who asked for it. */
const isByHand = (cause: string): boolean => /^(canceled|rejected) by /.test(cause)

/** `writtenAt`: when each change was written, by the clock of the database. */
export const rampEndProblems = (
  { history, payment }: Dossier,
  writtenAt: (version: number) => number | undefined
): ReadonlyArray<string> => {
  const { expires_at } = payment
  if (payment.direction !== "external" || expires_at === null) return []
  return history.flatMap(({ cause, to_status, version }) => {
    const at = writtenAt(version)
    if (to_status !== "canceled" || isByHand(cause) || at === undefined || at >= expires_at.getTime()) return []
    return [`a ramp was called off ${Math.round((expires_at.getTime() - at) / 1000)} s before its end (${cause})`]
  })
}
