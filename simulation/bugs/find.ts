/** Looks for the first seed that shows each bug of the catalogue, or those that are named. */
import { run } from "../Run.ts"
import { catalogue } from "./Catalogue.ts"

const most = Number(process.argv[2] ?? 60)
const named = process.argv.slice(3)
for (const { name, planted } of catalogue) {
  if (named.length > 0 && !named.includes(name)) continue
  let found = 0
  let what = ""
  for (let seed = 1; seed <= most && found === 0; seed++) {
    const { problems } = run(seed, { planted })
    if (problems.length > 0) {
      found = seed
      what = problems[0]!
    }
  }
  process.stdout.write(`  "${name}": ${found},${found === 0 ? " // NOT FOUND" : ` // ${what.slice(0, 110)}`}\n`)
}
process.exit(0)
