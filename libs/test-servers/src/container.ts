export interface ContainerOptions {
  image: string;
  /** The server's port inside the container. */
  port: number;
  environment?: Record<string, string>;
  command?: string[];
  /** The log message of a server that is ready, and the number of times that it must appear. */
  readyMessage: [RegExp, number];
}

export interface Container {
  host: string;
  /** The port on this machine that is mapped to the server's port. */
  port: number;
  /** Runs the command inside the container. Rejects with the command's output if its exit code is not 0. */
  run(command: string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a container with Testcontainers, which also removes it if this process is killed. Returns null if no container
 * engine is running, or if TEST_CONTAINERS is 0, which forbids tests from using an engine.
 */
export async function startContainer(options: ContainerOptions): Promise<Container | null> {
  if (process.env['TEST_CONTAINERS'] === '0') return null;
  // Testcontainers is loaded only if needed: loading it takes longer than starting a server on this machine.
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
    .withWaitStrategy(Wait.forLogMessage(...options.readyMessage))
    .start();
  return {
    host: container.getHost(),
    port: container.getMappedPort(options.port),
    async run(command) {
      const { exitCode, output } = await container.exec(command);
      if (exitCode !== 0) throw new Error(`${command[0]} exited with code ${exitCode}: ${output}`);
    },
    async close() {
      await container.stop();
    },
  };
}
