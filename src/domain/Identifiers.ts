/** What an id names is part of its type: one that names something else does not compile. */
import { Schema } from "effect"

export const PaymentId = Schema.String.pipe(Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/** Also of a refund, which goes by the id of its attempt. */
export const AttemptId = Schema.String.pipe(Schema.brand("AttemptId"))
export type AttemptId = typeof AttemptId.Type

/** Of a payment, and of what moves on a virtual account: a withdrawal and its payment share one. */
export const TransactionId = Schema.String.pipe(Schema.brand("TransactionId"))
export type TransactionId = typeof TransactionId.Type

export const OrgId = Schema.String.pipe(Schema.brand("OrgId"))
export type OrgId = typeof OrgId.Type

export const WebhookId = Schema.String.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

export const UserId = Schema.String.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

export const BeneficiaryId = Schema.String.pipe(Schema.brand("BeneficiaryId"))
export type BeneficiaryId = typeof BeneficiaryId.Type

/** Of a virtual account. */
export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const EscrowId = Schema.String.pipe(Schema.brand("EscrowId"))
export type EscrowId = typeof EscrowId.Type

/** Of an API key, which is no secret; the key itself is. */
export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** Of a payment link; its reference, which opens it, is no id. */
export const LinkId = Schema.String.pipe(Schema.brand("LinkId"))
export type LinkId = typeof LinkId.Type

/** Of a provider's configuration for a corridor. */
export const ConfigId = Schema.String.pipe(Schema.brand("ConfigId"))
export type ConfigId = typeof ConfigId.Type

/** The schema of any such id. */
export type Naming<Id extends string> = Schema.Schema<Id, string>
