import { Effect } from "effect"
import { BeneficiaryId, idOrNil } from "../../domain/Ids.ts"
import { success } from "../../contract/api/Envelope.ts"
import type { EscrowApi } from "../../contract/api/EscrowApi.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { canceledAnswer, disbursedAnswer, fundedAnswer, payoutAnswer, retriedAnswer } from "./EscrowView.ts"
import { Escrows } from "./Escrows.ts"

export const escrowHandlers = Effect.gen(function* () {
  const escrows = yield* Escrows
  const pages = yield* makePages
  const handlers: Handlers<typeof EscrowApi> = {
    create: ({ payload, permit }) =>
      Effect.map(escrows.create(permit, payload), (escrow) => success("Escrow created", escrow)),
    list: (request) => {
      const { permit, urlParams } = request
      const { account_id, status } = urlParams
      return pages(request, {
        message: "Escrows",
        filters: [account_id, status],
        fetch: (window) => escrows.list(permit, { account_id, status }, window),
        idOf: (escrow) => escrow.escrow_id
      })
    },
    get: ({ path, permit }) => Effect.map(escrows.get(permit, path.escrow_id), (escrow) => success("Escrow", escrow)),
    fund: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(escrows.fund(permit, path.escrow_id, payload.amount, idempotencyKey), fundedAnswer),
    contract: ({ path, payload, permit }) =>
      Effect.map(
        escrows.submitContract(permit, path.escrow_id, path.milestone_id, payload.reference ?? null),
        (milestone) => success("Contract submitted", milestone)
      ),
    parties: ({ path, payload, permit }) =>
      Effect.map(escrows.changeParties(permit, path.escrow_id, path.milestone_id, payload.parties), (milestone) =>
        success("Party splits updated", milestone)
      ),
    disburse: ({ idempotencyKey: key, path, payload, permit }) => {
      const { escrow_id: escrowId, milestone_id: milestoneId } = path
      const wanted = { escrowId, milestoneId, description: payload.description ?? null, key }
      return Effect.map(escrows.disburse(permit, wanted), disbursedAnswer)
    },
    payout: ({ idempotencyKey: key, path, payload, permit }) => {
      const { beneficiary_id } = payload
      const beneficiaryId = beneficiary_id === undefined ? undefined : idOrNil(BeneficiaryId)(beneficiary_id)
      const wanted = { escrowId: path.escrow_id, partyId: path.party_id, beneficiaryId, key }
      return Effect.map(escrows.payOut(permit, wanted), payoutAnswer)
    },
    retryPayout: ({ idempotencyKey, path, permit }) => {
      const named = { escrowId: path.escrow_id, payoutId: path.payout_id }
      return Effect.map(escrows.blocked.retry(permit, named, idempotencyKey), retriedAnswer)
    },
    resolvePayout: ({ path, payload, permit }) => {
      const named = { escrowId: path.escrow_id, payoutId: path.payout_id }
      return Effect.map(escrows.blocked.resolve(permit, named, payload.reason), (payout) =>
        success("Payout resolved", payout)
      )
    },
    cancel: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(escrows.cancel(permit, path.escrow_id, payload.reason ?? null, idempotencyKey), canceledAnswer)
  }
  return handlers
})
