import { Effect } from "effect"
import { BeneficiaryId, idOrNil } from "../../domain/Ids.ts"
import type { EscrowApi } from "../../contract/api/EscrowApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { canceledAnswer, disbursedAnswer, fundedAnswer, payoutAnswer, retriedAnswer } from "./EscrowView.ts"
import { Escrows } from "./Escrows.ts"

export const escrowHandlers = Effect.map(
  Effect.all([Escrows, makePages]),
  ([escrows, pages]): Handlers<typeof EscrowApi> => ({
    create: ({ payload, permit }) => answer("Escrow created", escrows.create(permit, payload)),
    list: (request) => {
      const { account_id, status } = request.urlParams
      return pages(request, {
        message: "Escrows",
        filters: [account_id, status],
        fetch: (window) => escrows.list(request.permit, { account_id, status }, window),
        idOf: (escrow) => escrow.escrow_id
      })
    },
    get: ({ path, permit }) => answer("Escrow", escrows.get(permit, path.escrow_id)),
    fund: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(escrows.fund(permit, path.escrow_id, payload.amount, idempotencyKey), fundedAnswer.of),
    contract: ({ path, payload, permit }) =>
      answer(
        "Contract submitted",
        escrows.submitContract(permit, path.escrow_id, path.milestone_id, payload.reference ?? null)
      ),
    parties: ({ path, payload, permit }) =>
      answer("Party splits updated", escrows.changeParties(permit, path.escrow_id, path.milestone_id, payload.parties)),
    disburse: ({ idempotencyKey: key, path, payload, permit }) => {
      const { escrow_id: escrowId, milestone_id: milestoneId } = path
      const wanted = { escrowId, milestoneId, description: payload.description ?? null, key }
      return Effect.map(escrows.disburse(permit, wanted), disbursedAnswer.of)
    },
    payout: ({ idempotencyKey: key, path, payload, permit }) => {
      const { beneficiary_id } = payload
      const beneficiaryId = beneficiary_id === undefined ? undefined : idOrNil(BeneficiaryId)(beneficiary_id)
      const wanted = { escrowId: path.escrow_id, partyId: path.party_id, beneficiaryId, key }
      return Effect.map(escrows.payOut(permit, wanted), payoutAnswer.of)
    },
    retryPayout: ({ idempotencyKey, path, permit }) => {
      const named = { escrowId: path.escrow_id, payoutId: path.payout_id }
      return Effect.map(escrows.blocked.retry(permit, named, idempotencyKey), retriedAnswer.of)
    },
    resolvePayout: ({ path, payload, permit }) => {
      const named = { escrowId: path.escrow_id, payoutId: path.payout_id }
      return answer("Payout resolved", escrows.blocked.resolve(permit, named, payload.reason))
    },
    cancel: ({ idempotencyKey, path, payload, permit }) =>
      Effect.map(escrows.cancel(permit, path.escrow_id, payload.reason ?? null, idempotencyKey), canceledAnswer.of)
  })
)
