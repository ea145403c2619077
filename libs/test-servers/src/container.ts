export interface ContainerOptions {
  image: string;
  /** Inside the container. */
  port: number;
  environment?: Record<string, string>;
  command?: string[];
  /** What its log says once it answers, and how often before it is meant. */
  ready: [RegExp, number];
}

export interface Container {
  host: string;
  /** The port of this machine that leads there. */
  port: number;
  /** Inside the container; rejects with what it printed where it ends with another code than 0. */
  run(command: string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * A container of Testcontainers (which removes it also when this process is killed); null where no engine runs, and with
 * TEST_CONTAINERS=0, for who has an engine but wants none of it for tests.
 */
export async function startContainer(options: ContainerOptions): Promise<Container | null> {
  if (process.env['TEST_CONTAINERS'] === '0') return null;
  // Only where it is needed: it takes longer to load than a server of this machine to start.
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch {
    return null;
  }
  const container = await new GenericContainer(options.image)
    .withEnvironment(options.environment ?? {})
    .withCommand(options.command ?? [])
    .withExposedPorts(options.port)
    .withWaitStrategy(Wait.forLogMessage(...options.ready))
    .start();
  return {
    host: container.getHost(),
    port: container.getMappedPort(options.port),
    async run(command) {
      const { exitCode, output } = await container.exec(command);
      if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}: ${output}`);
    },
    async close() {
      await container.stop();
    },
  };
}
