/** Implements the ports of lower layers by services of higher layers. */
import { Effect, Layer, Option } from "effect"
import { Beneficiaries } from "../payments/beneficiaries/Beneficiaries.ts"
import { OtherItems, type OtherItemsOf, ReplayedAnswers, Payments } from "../payments/read/Payments.ts"
import { VerificationSubjects } from "../people/verification/VerificationSender.ts"
import { CurrentStateAnswer } from "../platform/idempotency/Idempotency.ts"
import { RotatableTables, rotatableSecrets } from "../platform/secrets/Secrets.ts"
import { rotatableCredentials } from "../providers/accounts/AccountCredentials.ts"
import { replayedWithdrawalAnswer } from "../treasury/accounts/WithdrawalEvents.ts"
import { transferItems } from "../treasury/accounts/IncomingTransfers.ts"
import { blockedPayoutItems } from "../treasury/escrow/BlockedPayouts.ts"
import { replayedPayoutAnswer } from "../treasury/escrow/PartyPayouts.ts"
import { rotatableKybDocuments } from "../people/kyb/Kyb.ts"
import { rotatableWebhookSecrets } from "../webhooks/WebhookSecrets.ts"

export const CurrentStateAnswerLive = Layer.effect(
  CurrentStateAnswer,
  Effect.map(Payments, ({ answerTo }) => answerTo)
)

export const ReplayedAnswersLive = Layer.effect(
  ReplayedAnswers,
  Effect.all({ virtual: replayedWithdrawalAnswer, party: replayedPayoutAnswer })
)

export const OtherItemsLive = Layer.effect(
  OtherItems,
  Effect.map(
    Effect.all([blockedPayoutItems, transferItems]),
    (sources): OtherItemsOf =>
      (scope, window) =>
        Effect.map(
          Effect.forEach(sources, (items) => items(scope, window)),
          (all) => all.flat()
        )
  )
)

export const VerificationSubjectsLive = Layer.effect(
  VerificationSubjects,
  Effect.gen(function* () {
    const beneficiaries = yield* Beneficiaries
    const payments = yield* Payments
    return {
      beneficiary: (orgId, id) => beneficiaries.find(Option.some(orgId), id),
      transaction: payments.findByTransaction
    }
  })
)

export const RotatableTablesLive = Layer.succeed(RotatableTables, [
  rotatableSecrets,
  rotatableWebhookSecrets,
  ...rotatableCredentials,
  rotatableKybDocuments
])
