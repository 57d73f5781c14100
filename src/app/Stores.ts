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

export const StoresLive = Layer.mergeAll(
  Transactor.layer,
  ApiKeyStore.layer,
  AuditStore.layer,
  BeneficiaryStore.layer,
  CallerStore.layer,
  FeeRuleStore.layer,
  IdempotencyStore.layer,
  OrganizationStore.layer,
  PaymentStore.layer,
  ProviderConfigStore.layer,
  RailStore.layer,
  RateLockStore.layer,
  RateStore.layer,
  Readiness.layer,
  SecretStore.layer,
  UserStore.layer
)

export const StoresMemory = Layer.mergeAll(
  Transactor.layerMemory,
  ApiKeyStore.layerMemory,
  AuditStore.layerMemory,
  BeneficiaryStore.layerMemory,
  CallerStore.layerMemory,
  FeeRuleStore.layerMemory,
  IdempotencyStore.layerMemory,
  OrganizationStore.layerMemory,
  PaymentStore.layerMemory,
  ProviderConfigStore.layerMemory,
  RailStore.layerMemory,
  RateLockStore.layerMemory,
  RateStore.layerMemory,
  Readiness.layerMemory,
  SecretStore.layerMemory,
  UserStore.layerMemory
).pipe(Layer.provide(MemoryTables.layer))
