/** Stores verification requests. */
import { Context, type Option } from "effect"
import type { TransactionId } from "../../domain/Ids.ts"
import type * as Api from "../../contract/api/VerificationApi.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"

export type VerificationRequest = typeof Api.VerificationRequest.Type
export type NewVerificationRequest = Omit<VerificationRequest, "created_at" | "updated_at">
type Status = VerificationRequest["status"]

export interface VerificationFilter {
  readonly status?: Status | undefined
  readonly transaction_id?: TransactionId | undefined
}

interface Store {
  readonly insert: (request: NewVerificationRequest) => Stored<VerificationRequest>
  readonly find: (scope: Scope, id: string) => Stored<Option.Option<VerificationRequest>>
  readonly list: (
    scope: Scope,
    filter: VerificationFilter,
    window: Window
  ) => Stored<ReadonlyArray<VerificationRequest>>
  /** None if it is not in scope, or not pending. */
  readonly close: (
    scope: Scope,
    id: string,
    status: Exclude<Status, "pending">
  ) => Stored<Option.Option<VerificationRequest>>
}

export class VerificationStore extends Context.Tag("corridor/VerificationStore")<VerificationStore, Store>() {}
