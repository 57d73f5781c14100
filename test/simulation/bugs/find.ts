/** Finds the first seed that shows each bug: `tsx test/simulation/bugs/find.ts 60 NAME …`. */
import { run } from "../SimulationRun.ts"
import { catalogue } from "./Catalogue.ts"

const most = Number(process.argv[2] ?? 60)
const named = process.argv.slice(3)

const finderOf = (planted: (typeof catalogue)[number]["planted"]): number => {
  for (let seed = 1; seed <= most; seed++) if (run(seed, { planted }).problems.length > 0) return seed
  return 0
}

for (const { name, planted } of catalogue) {
  if (named.length > 0 && !named.includes(name)) continue
  process.stdout.write(`  "${name}": ${finderOf(planted)},\n`)
}
process.exit(0)
