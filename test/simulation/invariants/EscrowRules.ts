/** Rules for escrows: record, ledger and answers agree. */
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import type { Escrow } from "../../../src/treasury/escrow/EscrowStore.ts"
import type { StoredPosting } from "../../../src/money/ledger/LedgerStore.ts"
import type { EscrowAnswers } from "../business/EscrowSteps.ts"
import type { Records } from "./RecordRules.ts"

const sum = (postings: ReadonlyArray<StoredPosting>): bigint =>
  postings.reduce((all, { amount }) => all + amount.minor, 0n)

const milestoneProblems = (escrow: Escrow, own: ReadonlyArray<StoredPosting>, answers: EscrowAnswers | undefined) =>
  escrow.milestones.flatMap(({ expected, milestone_id, status }) => {
    const released = -sum(own.filter(({ entry_id }) => entry_id === milestone_id))
    const wanted = status === "disbursed" ? expected.minor : 0n
    const asked = answers?.released.get(milestone_id)
    return [
      ...(released === wanted ? [] : [`a milestone of ${wanted} that is ${status} took ${released} from its escrow`]),
      ...(asked === "surely" && status !== "disbursed"
        ? [`a caller was told of a release, and the part is ${status}`]
        : []),
      ...(asked === undefined && status === "disbursed" ? ["a milestone was released without a request"] : [])
    ]
  })

const problemsOf = (escrow: Escrow, own: ReadonlyArray<StoredPosting>, answers: EscrowAnswers | undefined) => {
  const { disbursed, funded, milestones, status } = escrow
  const came = sum(own.filter(({ kind }) => kind === "escrow_fund"))
  const returned = -sum(own.filter(({ kind }) => kind === "escrow_return"))
  const released = milestones.reduce((all, one) => (one.status === "disbursed" ? all + one.expected.minor : all), 0n)
  const least = answers?.funded ?? 0n
  const most = least + (answers?.perhapsFunded ?? 0n)
  const held = sum(own)
  return [
    ...(held === funded.minor - disbursed.minor
      ? []
      : [`an escrow that is ${status} holds ${held}, and by its record ${funded.minor - disbursed.minor}`]),
    ...(disbursed.minor === released
      ? []
      : [`an escrow has released ${released}, and its record says ${disbursed.minor}`]),
    ...(came - returned === funded.minor
      ? []
      : [`an escrow got ${came - returned}, and its record says ${funded.minor}`]),
    ...(came >= least && came <= most
      ? []
      : [`callers were told that ${least} to ${most} went into an escrow that got ${came}`]),
    ...(status === "canceled" && held !== 0n ? [`an escrow that was called off still holds ${held}`] : []),
    ...milestoneProblems(escrow, own, answers)
  ]
}

export const escrowProblems = (
  { postings }: Records,
  escrows: Iterable<Escrow>,
  answers: ReadonlyMap<string, EscrowAnswers>
): ReadonlyArray<string> =>
  Array.from(escrows).flatMap((escrow) => {
    const account = LedgerAccount.escrow(escrow.escrow_id, escrow.currency)
    return problemsOf(
      escrow,
      postings.filter((posting) => posting.account === account),
      answers.get(escrow.escrow_id)
    )
  })
