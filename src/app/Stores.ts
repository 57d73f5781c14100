/** Every store, on PostgreSQL or in memory: the one seam at which a test swaps the database out. */
import { Layer } from "effect"
import { ApiKeyStore } from "../apiKeys/ApiKeyStore.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { CallerStore } from "../auth/CallerStore.ts"
import { MemoryTables } from "../database/MemoryTables.ts"
import { Transactor } from "../database/Transactor.ts"
import { Readiness } from "../http/SystemRoutes.ts"
import { OrganizationStore } from "../organizations/OrganizationStore.ts"
import { ProviderConfigStore } from "../providers/ProviderConfigStore.ts"
import { RateStore } from "../rates/RateStore.ts"
import { SecretStore } from "../secrets/SecretStore.ts"
import { UserStore } from "../users/UserStore.ts"

export const StoresLive = Layer.mergeAll(
  Transactor.layer,
  ApiKeyStore.layer,
  AuditStore.layer,
  CallerStore.layer,
  OrganizationStore.layer,
  ProviderConfigStore.layer,
  RateStore.layer,
  Readiness.layer,
  SecretStore.layer,
  UserStore.layer
)

export const StoresMemory = Layer.mergeAll(
  Transactor.layerMemory,
  ApiKeyStore.layerMemory,
  AuditStore.layerMemory,
  CallerStore.layerMemory,
  OrganizationStore.layerMemory,
  ProviderConfigStore.layerMemory,
  RateStore.layerMemory,
  Readiness.layerMemory,
  SecretStore.layerMemory,
  UserStore.layerMemory
).pipe(Layer.provide(MemoryTables.layer))
