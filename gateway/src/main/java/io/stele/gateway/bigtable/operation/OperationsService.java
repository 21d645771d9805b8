package io.stele.gateway.bigtable.operation;

import com.google.longrunning.CancelOperationRequest;
import com.google.longrunning.DeleteOperationRequest;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.ListOperationsRequest;
import com.google.longrunning.ListOperationsResponse;
import com.google.longrunning.Operation;
import com.google.longrunning.OperationsGrpc;
import com.google.longrunning.WaitOperationRequest;
import com.google.protobuf.Empty;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.stele.gateway.bigtable.call.BigtableCalls;

/** {@code google.longrunning.Operations}. */
public final class OperationsService extends OperationsGrpc.OperationsImplBase {
  private final DoneOperations operations;
  private final BigtableCalls calls;

  public OperationsService(DoneOperations operations, BigtableCalls calls) {
    this.operations = operations;
    this.calls = calls;
  }

  private Operation find(String name) {
    return operations
        .get(name)
        .orElseThrow(
            () ->
                Status.NOT_FOUND
                    .withDescription(
                        "operation \""
                            + name
                            + "\" does not exist, or ended more than a day ago and is forgotten")
                    .asRuntimeException());
  }

  @Override
  public void getOperation(GetOperationRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> find(request.getName()));
  }

  /** All have ended. */
  @Override
  public void waitOperation(WaitOperationRequest request, StreamObserver<Operation> caller) {
    calls.answer(caller, () -> find(request.getName()));
  }

  /** By the beginning of their names; filters are not known. */
  @Override
  public void listOperations(
      ListOperationsRequest request, StreamObserver<ListOperationsResponse> caller) {
    calls.answer(
        caller,
        () -> {
          if (!request.getFilter().isEmpty()) {
            throw Status.UNIMPLEMENTED
                .withDescription(
                    "filter \"" + request.getFilter() + "\" of operations: is not offered")
                .asRuntimeException();
          }
          String name = request.getName();
          String beginning = name.isEmpty() || name.equals("operations") ? "operations/" : name;
          return ListOperationsResponse.newBuilder()
              .addAllOperations(operations.list(beginning).values())
              .build();
        });
  }

  @Override
  public void deleteOperation(DeleteOperationRequest request, StreamObserver<Empty> caller) {
    calls.answer(
        caller,
        () -> {
          operations.delete(find(request.getName()).getName());
          return Empty.getDefaultInstance();
        });
  }

  /** Has no effect on one that has ended, as they all have. */
  @Override
  public void cancelOperation(CancelOperationRequest request, StreamObserver<Empty> caller) {
    calls.answer(
        caller,
        () -> {
          Operation _ = find(request.getName());
          return Empty.getDefaultInstance();
        });
  }
}
