package io.stele.gateway.bigtable.instance;

import com.google.bigtable.admin.v2.AppProfile;
import com.google.bigtable.admin.v2.AppProfile.SingleClusterRouting;
import com.google.bigtable.admin.v2.CreateAppProfileRequest;
import com.google.bigtable.admin.v2.ListAppProfilesRequest;
import com.google.bigtable.admin.v2.ListAppProfilesResponse;
import com.google.bigtable.admin.v2.UpdateAppProfileMetadata;
import com.google.bigtable.admin.v2.UpdateAppProfileRequest;
import com.google.longrunning.Operation;
import com.google.protobuf.util.FieldMaskUtil;
import io.stele.base.error.InvalidRequestException;
import io.stele.gateway.bigtable.admin.ClusterName;
import io.stele.gateway.bigtable.admin.Paging;
import io.stele.gateway.bigtable.admin.Refusal;
import io.stele.gateway.bigtable.name.InstanceName;
import io.stele.gateway.bigtable.name.NamePattern;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import io.stele.gateway.bigtable.operation.DoneOperations;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * App profiles, as they were given: with one cluster there is one way to it, whatever they say. The
 * one called {@code default} is always there.
 */
final class AppProfiles {
  private static final String DEFAULT = "default";
  private static final NamePattern PATTERN =
      new NamePattern("projects/{project}/instances/{instance}/appProfiles/{profile}");

  private final NotedMessages<AppProfile> notes;
  private final DoneOperations operations;

  AppProfiles(Notes notes, DoneOperations operations) {
    this.notes = new NotedMessages<>(notes, Notes.PROFILES, AppProfile.parser());
    this.operations = operations;
  }

  private static String prefix(String instance) {
    return InstanceName.parse(instance) + "/appProfiles/";
  }

  private static AppProfile usual(String name) {
    return AppProfile.newBuilder()
        .setName(name)
        .setDescription("Every request goes to the servers that have its rows.")
        .setSingleClusterRouting(
            SingleClusterRouting.newBuilder()
                .setClusterId(ClusterName.ONLY)
                .setAllowTransactionalWrites(true))
        .build();
  }

  AppProfile create(CreateAppProfileRequest request) {
    String name = prefix(request.getParent()) + request.getAppProfileId();
    List<String> _ = PATTERN.parts(name);
    AppProfile made = request.getAppProfile().toBuilder().setName(name).build();
    notes.change(
        name,
        known -> {
          if (known.isPresent() || name.endsWith("/" + DEFAULT)) {
            throw Refusal.exists("app profile \"" + name + "\"");
          }
          return Optional.of(made);
        });
    return made;
  }

  AppProfile get(String name) {
    String id = PATTERN.parts(name).getLast();
    return notes
        .get(name)
        .or(() -> id.equals(DEFAULT) ? Optional.of(usual(name)) : Optional.empty())
        .orElseThrow(() -> Refusal.notFound("app profile \"" + name + "\""));
  }

  ListAppProfilesResponse list(ListAppProfilesRequest request) {
    String prefix = prefix(request.getParent());
    SortedMap<String, AppProfile> found = notes.list(prefix);
    found.putIfAbsent(prefix + DEFAULT, usual(prefix + DEFAULT));
    ListAppProfilesResponse.Builder response = ListAppProfilesResponse.newBuilder();
    String next =
        Paging.page(found, request.getPageSize(), request.getPageToken(), response::addAppProfiles);
    return response.setNextPageToken(next).build();
  }

  Operation update(UpdateAppProfileRequest request) {
    if (request.getUpdateMask().getPathsCount() == 0
        || !FieldMaskUtil.isValid(AppProfile.class, request.getUpdateMask())) {
      throw new InvalidRequestException(
          "update_mask "
              + request.getUpdateMask().getPathsList()
              + " of an app profile: must name fields of it");
    }
    String name = request.getAppProfile().getName();
    AppProfile.Builder changed = get(name).toBuilder();
    FieldMaskUtil.merge(request.getUpdateMask(), request.getAppProfile(), changed);
    AppProfile made = changed.setName(name).build();
    notes.put(name, made);
    return operations.done(name, UpdateAppProfileMetadata.getDefaultInstance(), made);
  }

  void delete(String name) {
    if (notes.get(name).isEmpty()) {
      throw PATTERN.parts(name).getLast().equals(DEFAULT)
          ? Refusal.precondition("app profile \"" + name + "\" is always there")
          : Refusal.notFound("app profile \"" + name + "\"");
    }
    notes.remove(name);
  }
}
