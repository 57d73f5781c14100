import { others, tenantIsolation } from "./TenantIsolation.ts"

tenantIsolation("Tenant isolation of other callers", others)
