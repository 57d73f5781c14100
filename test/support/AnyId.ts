/** Ids for tests, of which most come out of JSON or are made up on the spot. */
import { nilUuid } from "../../src/domain/Ids.ts"
import type {
  AccountId,
  AttemptId,
  BeneficiaryId,
  ConfigId,
  EscrowId,
  KeyId,
  LinkId,
  OrgId,
  PaymentId,
  TransactionId,
  UserId,
  WebhookId
} from "../../src/domain/Identifiers.ts"

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
