/** Verification requests at rest. */
import { Context, type Effect, type Option } from "effect"
import type { TransactionId } from "../../domain/Identifiers.ts"
import type * as Api from "../../contract/api/Verification.ts"
import { type Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"

export type VerificationRequest = typeof Api.VerificationRequest.Type
export type NewVerificationRequest = Omit<VerificationRequest, "created_at" | "updated_at">
type Status = VerificationRequest["status"]

export interface VerificationFilter {
  readonly status?: Status | undefined
  readonly transaction_id?: TransactionId | undefined
}

interface Store {
  readonly insert: (request: NewVerificationRequest) => Effect.Effect<VerificationRequest>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<VerificationRequest>>
  readonly list: (
    scope: Scope,
    filter: VerificationFilter,
    window: Window
  ) => Effect.Effect<ReadonlyArray<VerificationRequest>>
  /** None when there is no such request in the scope, or it is not pending any more. */
  readonly end: (
    scope: Scope,
    id: string,
    status: Exclude<Status, "pending">
  ) => Effect.Effect<Option.Option<VerificationRequest>>
}

export class VerificationStore extends Context.Tag("corridor/VerificationStore")<VerificationStore, Store>() {}
