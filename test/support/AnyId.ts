/** Ids for tests. */
import {
  nilUuid,
  type AccountId,
  type AttemptId,
  type BeneficiaryId,
  type ConfigId,
  type EscrowId,
  type KeyId,
  type LinkId,
  type OrgId,
  type PaymentId,
  type TransactionId,
  type UserId,
  type WebhookId
} from "../../src/domain/Ids.ts"

/** An id of any kind. */
export type AnyId = PaymentId &
  AttemptId &
  OrgId &
  TransactionId &
  WebhookId &
  UserId &
  KeyId &
  BeneficiaryId &
  AccountId &
  EscrowId &
  LinkId &
  ConfigId

export const idFrom = (text: unknown) => String(text) as AnyId

export const nilId = idFrom(nilUuid)
