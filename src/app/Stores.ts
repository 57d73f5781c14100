/** Every store, on PostgreSQL or in memory: the one seam at which a test swaps the database out. */
import { Layer } from "effect"
import { ApiKeyStore } from "../apiKeys/ApiKeyStore.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { CallerStore } from "../auth/CallerStore.ts"
import { BeneficiaryStore } from "../beneficiaries/BeneficiaryStore.ts"
import { FeeRuleStore } from "../fees/FeeRuleStore.ts"
import { MemoryTables } from "../database/MemoryTables.ts"
import { Transactor } from "../database/Transactor.ts"
import { Readiness } from "../http/SystemRoutes.ts"
import { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import { OrganizationStore } from "../organizations/OrganizationStore.ts"
import { PaymentStore } from "../payments/PaymentStore.ts"
import { ProviderConfigStore } from "../providers/ProviderConfigStore.ts"
import { RailStore } from "../rails/RailStore.ts"
import { RateLockStore } from "../rates/RateLockStore.ts"
import { RateStore } from "../rates/RateStore.ts"
import { SecretStore } from "../secrets/SecretStore.ts"
import { UserStore } from "../users/UserStore.ts"
import { DeadLetterStore } from "../webhooks/delivery/DeadLetterStore.ts"
import { QueueStore } from "../webhooks/delivery/QueueStore.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { EventStore } from "../webhooks/EventStore.ts"
import { WebhookStore } from "../webhooks/WebhookStore.ts"

export const StoresLive = Layer.mergeAll(
  Transactor.layer,
  ApiKeyStore.layer,
  AuditStore.layer,
  BeneficiaryStore.layer,
  CallerStore.layer,
  DeadLetterStore.layer,
  DeliveryStore.layer,
  EventStore.layer,
  FeeRuleStore.layer,
  IdempotencyStore.layer,
  OrganizationStore.layer,
  PaymentStore.layer,
  ProviderConfigStore.layer,
  QueueStore.layer,
  RailStore.layer,
  RateLockStore.layer,
  RateStore.layer,
  Readiness.layer,
  SecretStore.layer,
  UserStore.layer,
  WebhookStore.layer
)

export const StoresMemory = Layer.mergeAll(
  Transactor.layerMemory,
  ApiKeyStore.layerMemory,
  AuditStore.layerMemory,
  BeneficiaryStore.layerMemory,
  CallerStore.layerMemory,
  DeadLetterStore.layerMemory,
  DeliveryStore.layerMemory,
  EventStore.layerMemory,
  FeeRuleStore.layerMemory,
  IdempotencyStore.layerMemory,
  OrganizationStore.layerMemory,
  PaymentStore.layerMemory,
  ProviderConfigStore.layerMemory,
  QueueStore.layerMemory,
  RailStore.layerMemory,
  RateLockStore.layerMemory,
  RateStore.layerMemory,
  Readiness.layerMemory,
  SecretStore.layerMemory,
  UserStore.layerMemory,
  WebhookStore.layerMemory
).pipe(Layer.provide(MemoryTables.layer))
