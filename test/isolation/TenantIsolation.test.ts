import { strongest, tenantIsolation } from "./TenantIsolation.ts"

tenantIsolation("Tenant isolation of administrators", strongest)
