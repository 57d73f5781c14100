/**
 * A simulated world: machines, one database, providers and callers. Runs until nothing is left to happen, and repeats
 * exactly for the same seed.
 */
import { Cause, type Context, Effect, Logger } from "effect"
import { Ids } from "../../../src/domain/Ids.ts"
import { MemoryDatabase, type Opened } from "../../../src/platform/database/MemoryDatabase.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import type { WebhookClient } from "../../../src/webhooks/delivery/WebhookClient.ts"
import type { Planted } from "../bugs/Planting.ts"
import { accountKeyOf } from "../providers/SimulatedProvider.ts"
import { buildPlan, applyBugs } from "./LayerPlan.ts"
import type { Chance } from "./Chance.ts"
import { dueFor, watchedTables } from "./WorkerDueTimes.ts"
import { withDatabaseFaults, withHeldLocks, withSharedClock, withClaimAudit } from "./StoreFaults.ts"
import { boot, type Instance, type Services, type Shared } from "./SimulatedInstance.ts"
import { Machine } from "./Machine.ts"
import { storesPlan, simulationSettings } from "./SimulationStores.ts"
import type { SimulationEnvironment, HttpReply, HttpRequest } from "./SimulationEnvironment.ts"
import { startTime, type VirtualTime } from "./VirtualTime.ts"
import { requestOf, responseFor } from "./InMemoryHttp.ts"

/** More fiber steps at one moment mean an endless loop. */
const MOST_STEPS = 400_000

/** More moments mean that the run never comes to rest. */
const MOST_MOMENTS = 20_000

export interface Plan {
  /** Providers by account key; a missing one cannot be reached. */
  readonly providers: ReadonlyMap<string, Provider>
  readonly webhookClient: (world: SimulationEnvironment) => Context.Tag.Service<WebhookClient>
  readonly instances: number
  readonly meanSteps: number
  readonly planted: Planted
  readonly databaseFails: boolean
}

interface Pending {
  readonly instance: Instance
  readonly answered: (reply: HttpReply | null) => void
}

export class World {
  readonly env: SimulationEnvironment
  readonly tables: Opened<typeof watchedTables>
  readonly database: Context.Tag.Service<MemoryDatabase>
  readonly instances: Array<Instance> = []
  /** Runs everything outside of the service; has no faults. */
  readonly testMachine: Machine
  readonly stores: Shared["stores"]
  readonly ids: Shared["ids"]
  private readonly shared: Shared
  private readonly time: VirtualTime
  private readonly chance: Chance
  private readonly turn: () => number
  private readonly route: () => number
  private readonly meanSteps: number
  private machines: Array<Machine> = []
  private readonly pending = new Set<Pending>()
  /** Workers to wake after their pause. */
  private readonly wanted = new Set<string>()
  private booted = 0
  private moments = 0

  constructor(env: SimulationEnvironment, plan: Plan) {
    this.env = env
    this.time = env.time
    this.chance = env.chance
    this.meanSteps = plan.meanSteps
    this.turn = this.chance.stream("whose turn it is")
    this.route = this.chance.stream("which instance is called")
    const opened = Effect.runSync(buildPlan(storesPlan, applyBugs(simulationSettings, plan.planted), plan.planted))
    this.testMachine = new Machine("elsewhere", this.time, this.chance.stream("elsewhere"), 10_000)
    const timed = withSharedClock(opened, {
      clock: this.testMachine.clock,
      isNeeded: () => this.machines.some(({ skew }) => skew !== 0)
    })
    const shared = withClaimAudit(withHeldLocks(timed, env), env)
    const stores = plan.databaseFails ? withDatabaseFaults(shared, env) : shared
    this.database = Effect.runSync(Effect.provide(MemoryDatabase, stores))
    this.tables = this.database.open(watchedTables)
    const bytes = this.chance.stream("ids")
    this.shared = {
      stores,
      planted: plan.planted,
      providerTimeout: env.focus.providerTimeout,
      ids: Ids.fromBytes((count, make) =>
        Effect.sync(() => {
          const drawn = new Uint8Array(count)
          for (let at = 0; at < count; at++) drawn[at] = bytes()
          return make(drawn)
        })
      ),
      providers: { find: (name, account) => Effect.sync(() => plan.providers.get(accountKeyOf(name, account))) },
      webhookClient: plan.webhookClient(env),
      logger: Logger.make(({ cause, logLevel, message }) => {
        if (logLevel._tag === "Error") env.count(`error: ${String(message).slice(0, 60)}`)
        env.log(
          `${logLevel.label} ${String(message)} ${cause._tag === "Empty" ? "" : Cause.pretty(cause).slice(0, 1000)}`
        )
        if (String(message) === "Unexpected failure")
          env.problem(`an unexpected failure: ${Cause.pretty(cause).split("\n", 1)[0]}`)
      })
    }
    this.stores = stores
    this.ids = this.shared.ids
    this.machines.push(this.testMachine)
    env.send = (sent, answered) => this.call(sent, answered)
    for (let count = 0; count < plan.instances; count++) this.start()
  }

  start(): void {
    this.booted += 1
    const name = `instance ${this.booted}`
    const machine = new Machine(name, this.time, this.chance.stream(name), this.meanSteps)
    this.machines.push(machine)
    this.env.log(`${name} starts`)
    boot(
      machine,
      this.shared,
      this.time.now === startTime,
      (instance) => this.instances.push(instance),
      (reason) => this.env.problem(`${name} did not start: ${reason.slice(0, 500)}`)
    )
  }

  want(worker: string): void {
    this.wanted.add(worker)
  }

  private dueFor(worker: string): number {
    return this.wanted.has(worker) ? 0 : dueFor(this.tables, worker, this.time.now)
  }

  /** Like kill -9: open requests get no answer. */
  kill(instance: Instance): void {
    this.env.log(`${instance.machine.name} is killed`)
    instance.machine.kill()
    this.instances.splice(this.instances.indexOf(instance), 1)
    this.machines = this.machines.filter(({ isAlive }) => isAlive)
    for (const one of this.pending) {
      if (one.instance !== instance) continue
      this.pending.delete(one)
      this.time.after(10, () => one.answered(null))
    }
  }

  /** Runs a step, without interruption. */
  act(actor: Effect.Effect<unknown>): void {
    const program = actor.pipe(Effect.withClock(this.testMachine.clock), Effect.withTracerEnabled(false))
    Effect.runFork(program, { scheduler: this.testMachine.scheduler }).addObserver((exit) => {
      if (exit._tag === "Failure") this.env.problem(`an actor broke down: ${JSON.stringify(exit.cause).slice(0, 500)}`)
    })
  }

  /** Runs with the services of any instance, as the CLI does; null if there is none. */
  runAsOperator<A, E>(effect: Effect.Effect<A, E, Services>): Effect.Effect<A | null, E> {
    return Effect.async((resume) => {
      const instance = this.anyInstance()
      if (instance === undefined) return resume(Effect.succeed(null))
      const pending = { instance, answered: () => resume(Effect.succeed(null)) }
      this.pending.add(pending)
      instance.fork(effect).addObserver((exit) => {
        if (!this.pending.delete(pending)) return
        // After a database failure the operator tries again later.
        resume(exit._tag === "Failure" && this.env.databaseFailed ? Effect.succeed(null) : exit)
      })
    })
  }

  private anyInstance(): Instance | undefined {
    const awake = this.instances.filter(({ machine }) => machine.isRunning)
    return awake[this.route() % Math.max(1, awake.length)]
  }

  private call(sent: HttpRequest, answered: (reply: HttpReply | null) => void): void {
    const instance = this.anyInstance()
    if (instance === undefined) return void this.time.after(20, () => answered(null))
    const pending: Pending = { instance, answered }
    this.pending.add(pending)
    const soon = (then: () => void) => instance.machine.scheduler.scheduleTask(then, 0)
    const response = responseFor((reply) => {
      if (this.pending.delete(pending)) this.time.after(3, () => answered(reply))
    })
    instance.answer(requestOf(sent, soon), response)
  }

  /** Runs until nothing is planned, or until the given time. */
  runUntilIdle(until = Infinity): void {
    for (;;) {
      this.work()
      this.moments += 1
      if (this.moments > MOST_MOMENTS) {
        this.env.problem("the run does not come to rest")
        return
      }
      const planned = this.time.next ?? Infinity
      const wakeUp = this.nextWakeUp()
      const next = Math.min(planned, wakeUp)
      if (next > until || next === Infinity) {
        if (until !== Infinity) this.time.now = Math.max(this.time.now, until)
        return
      }
      if (wakeUp <= planned) this.wakeWorkers(wakeUp)
      else this.time.advance(planned)
    }
  }

  /** Runs all machines until they are idle, in random order. */
  private work(): void {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const { machines } = this
      const first = machines.length === 1 ? 0 : this.turn() % machines.length
      let worked = false
      for (let at = 0; at < machines.length && !worked; at++) {
        const machine = machines[(first + at) % machines.length]!
        if (!machine.isBusy) continue
        machine.work()
        worked = true
      }
      if (!worked) return
    }
    this.env.problem("a fiber loops without end")
    for (const machine of this.machines) machine.kill()
  }

  private nextWakeUp(): number {
    const due = new Map<string, number>()
    let first = Infinity
    for (const machine of this.machines) {
      for (const { until, worker } of machine.rests) {
        if (!due.has(worker)) due.set(worker, this.dueFor(worker))
        first = Math.min(first, Math.max(until, due.get(worker)!, machine.suspendedUntil))
      }
    }
    return first
  }

  private wakeWorkers(moment: number): void {
    this.time.now = Math.max(this.time.now, moment)
    for (const machine of this.machines) {
      if (!machine.isRunning) continue
      for (const rest of Array.from(machine.rests)) {
        if (rest.until > this.time.now || this.dueFor(rest.worker) > this.time.now) continue
        this.wanted.delete(rest.worker)
        machine.rests.delete(rest)
        rest.wake()
      }
    }
  }
}
