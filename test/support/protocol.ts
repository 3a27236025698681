// `centavo mcp` as a real process, and the protocol's official client.

import {Client} from '@modelcontextprotocol/client';
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio';
import {onTestFinished} from 'vitest';
import {cliEnvironment, RUN} from './cli.js';

/** What a tool answered: its first text, and the data of its second. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly head: any;
  readonly data: any;
  /** Bytes of the whole answer. */
  readonly size: number;
}

export type Done = (clean: () => Promise<void>) => void;

/** Starts a server for the data of a folder. @param done a hook that ends it */
export async function openServer(
  dataDirectory: string,
  {env = {}, args = [], done = onTestFinished}: {env?: Record<string, string>; args?: string[]; done?: Done} = {},
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [RUN, 'mcp', ...args],
    env: cliEnvironment(dataDirectory, env),
    stderr: 'pipe',
  });
  const client = new Client({name: 'test', version: '1'});
  let stderr = '';
  transport.stderr?.on('data', (text) => (stderr += text));
  await client.connect(transport);
  done(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}, signal?: AbortSignal): Promise<ToolAnswer> => {
    const answer = await client.callTool({name, arguments: input}, {signal});
    const [head, data] = (answer.content as {text: string}[]).map(({text}) => text);
    const isPart = head!.includes('"pages":');
    return {
      isError: answer.isError === true,
      head: JSON.parse(head!),
      data: data === undefined || isPart ? data : JSON.parse(data),
      size: JSON.stringify(answer).length,
    };
  };
  return {client, call, stderr: () => stderr};
}
