/** The generated files of the published clients, by name. */
import { pythonOperations } from "./PythonOperations.ts"
import { pythonTypes } from "./PythonTypes.ts"
import { typeScriptTypes } from "./TypeScriptTypes.ts"

export const clientSources: Readonly<Record<string, string>> = {
  "WireTypes.d.ts": typeScriptTypes(),
  "_operations.py": pythonOperations(),
  "types.py": pythonTypes()
}
