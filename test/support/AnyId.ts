/** Ids for tests, of which most come out of JSON or are made up on the spot. */
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

/** May name whatever a test wants it to name. */
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
